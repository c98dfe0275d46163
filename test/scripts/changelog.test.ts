import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { notesOf } from '../../scripts/release/changelog.mjs';
import { root } from '../setup/repository.ts';

const changelog = [
  '# Changelog',
  '## [Unreleased]',
  '## [0.2.0] - 2026-12-01',
  '### Fixed',
  '- A defect.',
  '## [0.1.0]',
  '### Added',
  '- All.',
  '## [0.0.9] - 2026-01-01',
  '### New',
  '- Much.'
].join('\n');

test('the notes of a version are the lines of its section', () => {
  expect(notesOf(changelog, '0.2.0')).toBe('### Fixed\n- A defect.\n');
});

test.each([
  ['0.3.0', 'has no section [0.3.0]'],
  ['0.2', 'has no section [0.2]'],
  ['0.1.0', 'has no date'],
  ['0.0.9', 'has the category "New"'],
  ['Unreleased', 'has no entries']
])('notes of %s are refused: %s', (version, problem) => {
  expect(() => notesOf(changelog, version)).toThrow(problem);
});

test('the changelog of this repository has entries, in the categories of the format', () => {
  const own = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const versions = [...own.matchAll(/^## \[([^\]]+)\]/gm)].map(([, name]) => name!);
  // Just after a release nothing is unreleased.
  const latest = versions.find(name => name !== 'Unreleased') ?? 'Unreleased';
  expect(notesOf(own, latest)).toContain('\n- ');
});
