// Logarithm and exponential from only +, -, * and /: IEEE 754 rounds those the same everywhere, while Math.log and Math.exp may differ in
// the last bit between machines and versions. Accurate to a few units in the last place.

const LN2_HIGH = 0.693_147_180_369_123_8;
const LN2_LOW = 1.908_214_929_270_587_7e-10;
const SQRT_HALF = Math.SQRT1_2;

/** Natural logarithm. NaN below zero, -Infinity at zero. */
export function ln(x: number): number {
  if (x <= 0) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (!Number.isFinite(x)) return x;
  const { mantissa, exponent } = split(x);
  // ln(m) = 2 atanh(s) with s = (m - 1) / (m + 1), |s| <= 0.172: eleven terms are enough for 53 bits.
  const s = (mantissa - 1) / (mantissa + 1);
  const square = s * s;
  let sum = 0;
  for (let n = 23; n >= 1; n -= 2) sum = sum * square + 1 / n;
  return exponent * LN2_HIGH + (2 * s * sum + exponent * LN2_LOW);
}

/** e to the power of x. */
export function exp(x: number): number {
  if (Number.isNaN(x)) return x;
  if (x > 709.78) return Number.POSITIVE_INFINITY;
  if (x < -745.13) return 0;
  const halvings = Math.round(x / (LN2_HIGH + LN2_LOW));
  const rest = x - halvings * LN2_HIGH - halvings * LN2_LOW;
  let sum = 1;
  for (let n = 17; n >= 1; n -= 1) sum = 1 + (rest * sum) / n;
  return scale(sum, halvings);
}

/** x = mantissa * 2^exponent with the mantissa within [sqrt(1/2), sqrt(2)). Doubling and halving are exact. */
function split(x: number): { readonly mantissa: number; readonly exponent: number } {
  let mantissa = x;
  let exponent = 0;
  for (; mantissa >= 2 * SQRT_HALF; exponent += 1) mantissa /= 2;
  for (; mantissa < SQRT_HALF; exponent -= 1) mantissa *= 2;
  return { mantissa, exponent };
}

function scale(x: number, exponent: number): number {
  let scaled = x;
  for (let left = exponent; left > 0; left -= 1) scaled *= 2;
  for (let left = exponent; left < 0; left += 1) scaled /= 2;
  return scaled;
}
