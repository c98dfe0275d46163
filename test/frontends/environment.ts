import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { registerCheckout } from '../../scripts/lab/registration.mjs';
import { paths } from '../../scripts/setup/paths.mjs';
import { ensureFrontend } from '../../scripts/setup/python.mjs';

/** What pip reports when the package index cannot be reached. */
const UNREACHABLE = /after connection broken by|Temporary failure in name resolution/;

/**
 * Describes tests that run in the environment of python/frontends/NAME.lock, which is created first. If its packages cannot be
 * downloaded, the tests are skipped, with the reason in the title; any other failure of the installation fails the file.
 */
export async function describeFrontend(
  name: string,
  title: string,
  tests: (environment: string) => void
): Promise<void> {
  const log = join(paths.build, 'logs', `frontend-${name}.log`);
  // A failed step writes it.
  rmSync(log, { force: true });
  try {
    const environment = await ensureFrontend(name);
    await registerCheckout(environment);
    describe(title, () => tests(environment));
  } catch (error) {
    if (!existsSync(log) || !UNREACHABLE.test(readFileSync(log, 'utf8'))) throw error;
    describe.skip(`${title} (skipped: the Python package index cannot be reached)`, () => tests(''));
  }
}
