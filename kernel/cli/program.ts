/** The command line: its commands and options, and the handling of usage errors. */

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CheckOptions } from './check/check.ts';
import type { DoctorOptions } from './doctor/doctor.ts';
import { CommandFailure } from './kit/failure.ts';
import { install, uninstall, type InstallOptions } from './install.ts';
import { DEFAULT_DISPLAY_NAME, DEFAULT_NAME } from './jupyter/kernelspec.ts';
import { packageVersion } from './kit/package-files.ts';
import type { RunOptions } from './run/run.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
}

function withLocation(command: Command): Command {
  return command
    .addOption(new Option('--user', 'for the current user (the default)').conflicts(['prefix', 'sysPrefix']))
    .addOption(new Option('--prefix <folder>', 'below FOLDER/share/jupyter').conflicts(['sysPrefix']))
    .addOption(new Option('--sys-prefix', 'for the Python environment in use'))
    .addOption(new Option('--name <name>', 'name that notebooks and --kernel use').default(DEFAULT_NAME));
}

/** Collects `--env KEY=VALUE`, which may be given repeatedly. */
function addVariable(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Expected KEY=VALUE.');
  return { ...before, [key]: value };
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

/** Defines the commands. `finish` receives the exit status of a command that sets one. */
function buildProgram(finish: (status: number) => void): Command {
  const program = new Command('stridelab')
    .description(
      'TypeScript notebooks that see GPU arrays: register the kernel, check it, and run notebooks without a browser.'
    )
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('Options: stridelab --help');
  withLocation(program.command('install'))
    .description('register the kernel, and the JupyterLab extension if it is built')
    .option('--display-name <text>', `name that Jupyter shows (default: "${DEFAULT_DISPLAY_NAME}")`)
    .option('--env <key=value>', 'environment variable of the kernel; may be repeated', addVariable)
    .option('--node <program>', 'Node 24 or newer (default: the packaged one, or the first on PATH)')
    .option('--force', 'replace a kernelspec of another kernel')
    .action((options: InstallOptions) => print(install(options)));
  withLocation(program.command('uninstall'))
    .description('remove what install registered')
    .action((options: InstallOptions) => print(uninstall(options)));
  program
    .command('doctor')
    .description(
      'check Node, Jupyter, CUDA and Python, and suggest fixes; the exit status is 1 if a check fails'
    )
    .option('--json', 'print JSON, for programs')
    .option('--fix', 'rewrite stale kernelspecs with the current paths')
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./doctor/doctor.ts');
      finish(await doctor(options));
    });
  program
    .command('run')
    .argument('<file>', 'a notebook (.ipynb), or a script (.ts, .js) whose cells begin with // %%')
    .description('run every cell without a server; the exit status is 0 if all succeed')
    .option('-o, --output <notebook>', 'write the executed notebook there (default: NAME.executed.ipynb)')
    .option('--inplace', 'write the outputs into the notebook itself')
    .option('--allow-errors', 'continue after a cell that fails')
    .option('--timeout <seconds>', 'interrupt a cell that takes longer', seconds)
    .option('--node <program>', 'Node 24 or newer (default: the packaged one, or the first on PATH)')
    .action(async (file: string, options: RunOptions) => {
      // The client and its native module are loaded only for this command.
      const { runDocument } = await import('./run/run.ts');
      finish(await runDocument(file, options));
    });
  program
    .command('check')
    .argument('<files...>', 'notebooks (.ipynb), or scripts (.ts, .js) whose cells begin with // %%')
    .description('say what would not run, without running it; the exit status is 1 if anything is found')
    .option('--json', 'print JSON, for programs')
    .option('--node <program>', 'Node 24 or newer (default: the packaged one, or the first on PATH)')
    .action(async (files: string[], options: CheckOptions) => {
      const { checkFiles } = await import('./check/check.ts');
      finish(checkFiles(files, options));
    });
  program
    .command('version')
    .description('print the version')
    .action(() => print([packageVersion()]));
  return program;
}

/** Runs one command line. @returns exit status: 0, 1 for a failure, 2 for a usage error */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    let status = 0;
    await buildProgram(value => (status = value)).parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommandFailure) {
      process.stderr.write(`${error.message}\n`);
      return EXIT_FAILURE;
    }
    // Commander has already printed the error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    throw error;
  }
}
