import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { addonManifest, kernelManifest, libraryManifest } from './manifests.mjs';
import { addonNotices, kernelNotices, libraryNotices } from './notices.mjs';
import { packagesIn, stagingIn } from './places.mjs';
import { checkImports, kernelFiles, layAddons, layTree, libraryFiles } from './tree.mjs';

const NOTICES = 'THIRD_PARTY_NOTICES.txt';

/** Makes the three npm packages. Needs the compiled product and the portable addons. @param {string} folder */
export async function packNpm(folder) {
  const target = join(packagesIn(folder), 'npm');
  const staging = stagingIn(folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await pack(target, join(staging, 'library'), libraryFiles(), libraryManifest, contents =>
    writeFileSync(join(contents, NOTICES), libraryNotices())
  );
  await pack(target, join(staging, 'kernel'), kernelFiles, kernelManifest, contents =>
    writeFileSync(join(contents, NOTICES), kernelNotices())
  );
  await pack(target, join(staging, 'linux-x64-gnu'), ['LICENSE'], addonManifest, contents => {
    layAddons(contents);
    writeFileSync(join(contents, NOTICES), addonNotices());
  });
}

/**
 * @param {string} target folder of the tarball
 * @param {string} contents folder with the name of a page in `readme`
 * @param {readonly string[]} files
 * @param {{ name: string, dependencies?: Record<string, string> }} manifest
 * @param {(contents: string) => void} [add]
 */
async function pack(target, contents, files, manifest, add) {
  const name = basename(contents);
  rmSync(contents, { recursive: true, force: true });
  mkdirSync(contents, { recursive: true });
  layTree(contents, files, manifest);
  cpSync(new URL(`readme/${name}.md`, import.meta.url), join(contents, 'README.md'));
  add?.(contents);
  checkImports(contents, manifest);
  await runStep(`npm-pack-${name}`, 'npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: contents,
    fix: "see npm's errors above."
  });
}
