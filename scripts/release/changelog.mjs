import { SetupFailure } from '../setup/failure.mjs';

const CATEGORIES = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

/**
 * Returns the notes of a version from the changelog, whose format is that of Keep a Changelog 1.1.
 * @param {string} changelog
 * @param {string} version or `Unreleased`
 * @returns {string}
 * @throws SetupFailure if the section is missing, has no date or no entry, or has a heading that the format does not have
 */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find(text => text.startsWith(`[${version}]`));
  if (section === undefined)
    throw new SetupFailure(
      `CHANGELOG.md has no section [${version}]: rename [Unreleased] to "[${version}] - YEAR-MONTH-DAY", and add an empty [Unreleased] above it.`
    );
  const [heading = '', ...lines] = section.split('\n');
  if (version !== 'Unreleased' && !/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}$/.test(heading))
    throw new SetupFailure(
      `The section "${heading}" of CHANGELOG.md has no date: write it as "[${version}] - YEAR-MONTH-DAY".`
    );
  const unknown = lines
    .map(line => /^### (.+)$/.exec(line)?.[1])
    .find(category => category !== undefined && !CATEGORIES.includes(category));
  if (unknown !== undefined)
    throw new SetupFailure(
      `CHANGELOG.md has the category "${unknown}" in [${version}], expected one of ${CATEGORIES.join(', ')}.`
    );
  if (!lines.some(line => line.startsWith('- ')))
    throw new SetupFailure(`The section [${version}] of CHANGELOG.md has no entries: list what changed.`);
  return `${lines.join('\n').trim()}\n`;
}
