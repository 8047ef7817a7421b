// CHANGELOG.md, as far as a release asks for it: a section for the version that package.json names, with something in it.

/** The fault, or null. */
export function changelogFault(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`${version} `) || text.startsWith(`${version}\n`));
  if (section === undefined) return `CHANGELOG.md has no section "## ${version}"`;
  return /^- /m.test(section) ? null : `the section ${version} of CHANGELOG.md lists nothing`;
}
