import { readFileSync } from 'node:fs';
import { runStep } from './child.mjs';
import { lineCounter } from './progress.mjs';

/**
 * Installs the pinned packages of a lock file, and nothing else, into a virtual environment.
 * @param {string} label the log's name
 * @param {string} python of the environment
 * @param {string} lock path
 * @param {import('./progress.mjs').Progress} progress
 * @param {string} [fix] ends the error message
 */
export async function pipInstall(
  label,
  python,
  lock,
  progress,
  fix = 'check the connection to the Python package index.'
) {
  const total = readFileSync(lock, 'utf8').match(/^\S+==/gm)?.length;
  // The lock also lists packages of other platforms and versions of Python, which pip ignores.
  const count = lineCounter(/^(Collecting|Ignoring|Requirement already satisfied:) /);
  const unpacks = lineCounter(/^Installing collected packages/);
  const options = ['--disable-pip-version-check', '--progress-bar', 'off', '--require-hashes', '--no-deps'];
  // pip's cache would be in the home folder, which may be read-only.
  await runStep(label, python, ['-m', 'pip', 'install', ...options, '--no-cache-dir', '-r', lock], {
    fix,
    onOutput: text => {
      const seen = count(text);
      const unpacking = unpacks(text) > 0;
      if (seen > 0) progress.at(unpacking ? 'unpacking' : `package ${seen} of ${total}`);
    }
  });
}
