/**
 * `npm run release`: makes the packages of the version in package.json, tests them, and writes to `build/release` what would be
 * published: the files, their checksums and the release notes. Uploads nothing; docs/releasing.md describes how to publish.
 *   --draft  for a version that is not in CHANGELOG.md yet, from a checkout with changes
 */
import './setup/minimum-node.mjs';
import { readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from './package/manifests.mjs';
import { packagesIn } from './package/places.mjs';
import { notesOf } from './release/changelog.mjs';
import { collectRelease } from './release/collect.mjs';
import { capture, runForeground } from './setup/child.mjs';
import { runCommand, SetupFailure } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';

const { version } = checkout;
const target = join(paths.build, 'release');

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { draft } = parseArgs({ options: { draft: { type: 'boolean', default: false } } }).values;
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    const notes = notesOf(changelog, draft ? 'Unreleased' : version);
    if (!draft) await checkCommit();
    const status = await runForeground('npm', ['run', '--silent', 'test:packages']);
    if (status !== 0) throw new SetupFailure('npm run test:packages failed: see above.');
    report(collectRelease(packagesIn(paths.build), target, notes));
    return 0;
  })
);

/** Checks that the packages can be made again from a tag. */
async function checkCommit() {
  const { output: changes } = await capture('git', ['status', '--porcelain'], { cwd: root });
  if (changes !== '')
    throw new SetupFailure(
      `The checkout has changes that are not committed:\n${changes}commit them, or pass --draft.`
    );
  const { output: tags } = await capture('git', ['tag', '--list', `v${version}`], { cwd: root });
  if (tags !== '')
    throw new SetupFailure(
      `The tag v${version} exists already: raise "version" in package.json with npm version --no-git-tag-version.`
    );
}

/** @param {readonly string[]} files */
function report(files) {
  console.log(`\nstridelab ${version} in ${relative(root, target)}, not uploaded:`);
  for (const file of files) {
    const registry = file.endsWith('.tgz') ? 'npm ' : 'PyPI';
    console.log(`  ${registry}  ${(statSync(file).size / 1e6).toFixed(1).padStart(5)} MB  ${basename(file)}`);
  }
  console.log('NOTES.md has the release notes, SHA256SUMS the checksums. To publish: docs/releasing.md');
}
