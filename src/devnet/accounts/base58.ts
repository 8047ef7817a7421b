// Base58 with the alphabet of the external chain's addresses, for the one place that takes them (S4.2, transfer recipients).

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 32 bytes never need more digits; a longer text is not even looked at. */
const DIGITS_MAX = 44;
const KEY_BYTES = 32;

/** The 32-byte key that `text` stands for, as 64 lowercase hex characters; undefined when it stands for none. */
export function keyFromBase58(text: string): string | undefined {
  if (text.length > DIGITS_MAX) return undefined;
  let value = 0n;
  let zeros = 0;
  for (const digit of text) {
    const worth = ALPHABET.indexOf(digit);
    if (worth < 0) return undefined;
    if (value === 0n && worth === 0) zeros += 1;
    value = value * 58n + BigInt(worth);
  }
  // A leading 1 is a byte of zeros; the digits behind make the rest, and together they are exactly a key.
  const digits = value === 0n ? "" : value.toString(16);
  const bytes = zeros + Math.ceil(digits.length / 2);
  return bytes === KEY_BYTES ? digits.padStart(2 * KEY_BYTES, "0") : undefined;
}
