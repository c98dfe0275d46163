import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { copyRunTimePackages } from '../bundle/run-time-packages.mjs';
import { capture, runStep } from '../setup/child.mjs';
import { SetupFailure } from '../setup/failure.mjs';
import { paths, root } from '../setup/paths.mjs';
import { wheelManifest } from './manifests.mjs';
import { wheelNotices } from './notices.mjs';
import { packagesIn, stagingIn } from './places.mjs';
import { billOfMaterials } from './sbom.mjs';
import { checkImports, kernelFiles, layAddons, layTree } from './tree.mjs';

const PLATFORM = 'manylinux_2_28_x86_64';

/**
 * Makes both wheels and the source distribution, and checks them. Needs the package tools in `.venv`.
 * @param {string} folder
 */
export async function packPython(folder) {
  const target = join(packagesIn(folder), 'python');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const contents = join(stagingIn(folder), 'wheel');
  await layWheel(contents);
  await build(target, ['wheel', 'sdist'], {});
  await build(target, ['wheel'], { STRIDELAB_WHEEL_CONTENTS: contents, STRIDELAB_WHEEL_PLATFORM: PLATFORM });
  await check(target);
}

/** @param {string} contents */
async function layWheel(contents) {
  rmSync(contents, { recursive: true, force: true });
  const tree = join(contents, 'node');
  mkdirSync(tree, { recursive: true });
  layTree(
    tree,
    // The extension is in the wheel's shared data.
    kernelFiles.filter(file => file !== 'dist/labextension'),
    wheelManifest
  );
  layAddons(join(tree, 'addon'));
  copyRunTimePackages(tree);
  checkImports(tree, wheelManifest);
  writeFileSync(join(tree, 'THIRD_PARTY_NOTICES.txt'), wheelNotices());
  const { moduleKernelspec } = await import('../../kernel/cli/jupyter/kernelspec.ts');
  cpSync(paths.kernelLogos, join(contents, 'kernelspec'), { recursive: true });
  writeFileSync(
    join(contents, 'kernelspec', 'kernel.json'),
    `${JSON.stringify(moduleKernelspec(), null, 2)}\n`
  );
  writeFileSync(join(contents, 'stridelab.cdx.json'), await billOfMaterials());
}

/**
 * @param {string} target
 * @param {readonly string[]} kinds
 * @param {Record<string, string>} environment
 */
async function build(target, kinds, environment) {
  await runStep(
    'hatchling',
    paths.python,
    ['-m', 'hatchling', 'build', '--clean-hooks-after', ...kinds.flatMap(kind => ['-t', kind]), '-d', target],
    {
      env: { ...process.env, SOURCE_DATE_EPOCH: await sourceDate(), ...environment },
      fix: "see hatchling's errors above."
    }
  );
}

/** Returns the time of the last commit, in seconds: the archives contain no other time. */
async function sourceDate() {
  if (process.env['SOURCE_DATE_EPOCH']) return process.env['SOURCE_DATE_EPOCH'];
  const { status, output } = await capture('git', ['log', '-1', '--format=%ct'], { cwd: root });
  if (status === 0) return output.trim();
  throw new SetupFailure(
    'The time of the last commit is unknown: build in a git checkout, or set SOURCE_DATE_EPOCH.'
  );
}

/** @param {string} target */
async function check(target) {
  const files = readdirSync(target).map(name => join(target, name));
  await runStep('twine', paths.python, ['-m', 'twine', 'check', '--strict', ...files], {
    fix: "see twine's errors above."
  });
  const wheel = /** @type {string} */ (files.find(file => file.includes(PLATFORM)));
  const { output } = await capture(paths.python, ['-m', 'auditwheel', 'show', wheel]);
  const found = /"(manylinux_\d+_\d+_x86_64)"/.exec(output)?.[1];
  const minor = Number(found?.split('_')[2]);
  if (!(minor <= Number(PLATFORM.split('_')[2])))
    throw new SetupFailure(
      `auditwheel does not find ${relative(root, wheel)} compatible with ${PLATFORM}:\n${output}\nbuild its programs for an older glibc.`
    );
}
