import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KERNEL_MAIN } from '../client.ts';
import { root } from '../../setup/repository.ts';
import { stridelab, type RunOptions } from './command.ts';

const oneSentence = (text: string): void => expect(text.trim().split('\n')).toHaveLength(1);

let folder: string;
let data: string;
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'stridelab prüfung-'));
  data = join(folder, 'share', 'jupyter');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const install = (args: readonly string[] = [], options?: RunOptions) =>
  stridelab(['install', '--prefix', folder, '--node', process.execPath, ...args], options);
const specFile = (name = 'stridelab'): string => join(data, 'kernels', name, 'kernel.json');
const spec = (name?: string) => JSON.parse(readFileSync(specFile(name), 'utf8')) as Record<string, unknown>;

/** A program that claims to be this version of Node. */
function pretender(path: string, version: string): string {
  writeFileSync(path, `#!/bin/sh\necho ${version}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('stridelab install', () => {
  test('writes the complete kernelspec below a path with spaces and accents, and can be repeated', async () => {
    for (const _ of ['first', 'second']) expect(await install()).toMatchObject({ status: 0, stderr: '' });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(spec()).toEqual({
      argv: [process.execPath, KERNEL_MAIN, '{connection_file}'],
      display_name: 'TypeScript (Stridelab)',
      language: 'typescript',
      interrupt_mode: 'message',
      kernel_protocol_version: '5.6',
      env: {},
      metadata: { debugger: true, supported_encryption: ['curve'], stridelab: { version } }
    });
    expect(readdirSync(join(data, 'kernels', 'stridelab')).sort()).toEqual([
      'kernel.js',
      'kernel.json',
      'logo-32x32.png',
      'logo-64x64.png',
      'logo-svg.svg'
    ]);
  });

  test('accepts a name, a display name and variables, and keeps them, and a kernel provisioner, when it refreshes the paths', async () => {
    const named = ['--name', 'lab.2', '--display-name', 'Labor ☃', '--env', 'A=b=c', '--env', 'EMPTY='];
    expect(await install(named)).toMatchObject({ status: 0 });
    const kernel_provisioner = { provisioner_name: 'local-provisioner' };
    const { metadata, ...written } = spec('lab.2');
    const edited = { ...written, metadata: { ...(metadata as object), kernel_provisioner } };
    writeFileSync(specFile('lab.2'), JSON.stringify(edited).replace(process.execPath, '/gone/node'));
    expect(await install(['--name', 'lab.2', '--env', 'NEW=1'])).toMatchObject({ status: 0 });
    expect(spec('lab.2')).toMatchObject({
      argv: [process.execPath, KERNEL_MAIN, '{connection_file}'],
      display_name: 'Labor ☃',
      env: { A: 'b=c', EMPTY: '', NEW: '1' },
      metadata: { kernel_provisioner, supported_encryption: ['curve'] }
    });
    expect(existsSync(specFile())).toBe(false);
  });

  test('installs for the user by default: JUPYTER_DATA_DIR, else the XDG folder', async () => {
    const args = ['install', '--node', process.execPath];
    expect(await stridelab(args, { env: { JUPYTER_DATA_DIR: data } })).toMatchObject({ status: 0 });
    expect(existsSync(specFile())).toBe(true);
    const env = { JUPYTER_DATA_DIR: undefined, XDG_DATA_HOME: join(folder, 'xdg'), HOME: folder };
    expect(await stridelab([...args, '--user'], { env })).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'xdg', 'jupyter', 'kernels', 'stridelab', 'kernel.json'))).toBe(true);
  });

  test('--sys-prefix means the environment in use: an active one, or that of the given Python', async () => {
    const args = ['install', '--sys-prefix', '--node', process.execPath];
    const unset = { STRIDELAB_PYTHON: undefined };
    expect(await stridelab(args, { env: { ...unset, VIRTUAL_ENV: folder } })).toMatchObject({ status: 0 });
    expect(existsSync(specFile())).toBe(true);
    rmSync(data, { recursive: true });
    const python = join(folder, 'python');
    writeFileSync(python, `#!/bin/sh\necho '${folder}'\n`);
    chmodSync(python, 0o755);
    expect(await stridelab(args, { env: { STRIDELAB_PYTHON: python } })).toMatchObject({ status: 0 });
    expect(existsSync(specFile())).toBe(true);
    const none = await stridelab(args, { env: { STRIDELAB_PYTHON: join(folder, 'no-python') } });
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('no Python environment for --sys-prefix');
    oneSentence(none.stderr);
  });

  test('refuses a kernelspec of another kernel and a damaged one, unless forced', async () => {
    mkdirSync(join(data, 'kernels', 'stridelab'), { recursive: true });
    const foreign = { argv: ['other'], display_name: 'Other', language: 'typescript' };
    for (const [text, what] of [
      [JSON.stringify(foreign), 'the kernel "Other"'],
      ['{"argv": [', 'a damaged kernelspec']
    ] as const) {
      writeFileSync(specFile(), text);
      const { status, stderr } = await install();
      expect(status).toBe(1);
      expect(stderr).toContain(`already contains ${what}: `);
      expect(readFileSync(specFile(), 'utf8')).toBe(text);
    }
    expect(await install(['--force'])).toMatchObject({ status: 0 });
    expect(spec()['display_name']).toBe('TypeScript (Stridelab)');
  });

  test('links the built extension and leaves one that a package manager installed', async () => {
    const extension = join(data, 'labextensions', 'stridelab');
    await install();
    const built = existsSync(join(root, 'dist', 'labextension', 'package.json'));
    expect(lstatSync(extension, { throwIfNoEntry: false })?.isSymbolicLink() ?? false).toBe(built);
    rmSync(extension, { force: true });
    mkdirSync(extension, { recursive: true });
    writeFileSync(join(extension, 'install.json'), '{}');
    expect(await install()).toMatchObject({ status: 0 });
    expect(readdirSync(extension)).toEqual(['install.json']);
  });

  test.each([
    [
      'a prefix that is no folder',
      ['--prefix', '/nowhere at all'],
      'The prefix /nowhere at all is not a folder: create it first'
    ],
    ['a missing Node', ['--node', '/nowhere/node'], '/nowhere/node was not found: install Node 24'],
    ['a name that Jupyter refuses', ['--name', 'naïve'], '"naïve" is not a kernel name']
  ])('%s is one sentence and status 1', async (_, args, sentence) => {
    const { status, stdout, stderr } = await install(args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(sentence);
    oneSentence(stderr);
  });

  test('an existing file at the place and a folder without permission are one sentence each', async () => {
    writeFileSync(join(folder, 'share'), '');
    const blocked = await install();
    expect(blocked).toMatchObject({ status: 1, stdout: '' });
    expect(blocked.stderr).toContain('because a file is in the way');
    oneSentence(blocked.stderr);
    rmSync(join(folder, 'share'));
    chmodSync(folder, 0o555);
    const denied = await install([], process.getuid?.() === 0 ? { uid: 65_534 } : {});
    chmodSync(folder, 0o755);
    expect(denied).toMatchObject({ status: 1, stdout: '' });
    expect(denied.stderr).toContain('cannot be written (EACCES): give --user, or --prefix');
    oneSentence(denied.stderr);
  });

  test('refuses a Node that is too old, and finds the next one on PATH', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const old = pretender(join(bin, 'node'), 'v20.19.0');
    const refused = await install(['--node', old]);
    expect(refused).toMatchObject({ status: 1 });
    expect(refused.stderr.trim()).toBe(
      `The kernel needs Node 24 or newer, but ${old} is v20.19.0: give another one with --node or STRIDELAB_NODE.`
    );
    expect((await install(['--node', 'node'], { env: { PATH: bin } })).stderr).toBe(refused.stderr);
    const newer = join(folder, 'newer');
    mkdirSync(newer);
    symlinkSync(process.execPath, join(newer, 'node'));
    const found = await install(['--node', 'node'], { env: { PATH: newer } });
    expect(found).toMatchObject({ status: 0 });
    // The link rather than its target: it remains valid when Node is upgraded.
    expect(spec()['argv']).toEqual([join(newer, 'node'), KERNEL_MAIN, '{connection_file}']);
  });
});

describe('stridelab uninstall', () => {
  test('removes what install wrote, and names other places of the kernel if it is not there', async () => {
    await install();
    await install(['--name', 'second']);
    const uninstall = (...args: string[]) => stridelab(['uninstall', '--prefix', folder, ...args]);
    const first = await uninstall();
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toBe(`removed ${join(data, 'kernels', 'stridelab')}\n`);
    const again = await uninstall();
    expect(again.status).toBe(1);
    expect(again.stderr).toContain(`is registered at ${join(data, 'kernels', 'second')}`);
    oneSentence(again.stderr);
    expect(await uninstall('--name', 'second')).toMatchObject({ status: 0 });
    expect(readdirSync(join(data, 'kernels'))).toEqual([]);
    expect(existsSync(join(data, 'labextensions', 'stridelab'))).toBe(false);
  });

  test('does not touch a kernelspec of another kernel', async () => {
    mkdirSync(join(data, 'kernels', 'stridelab'), { recursive: true });
    writeFileSync(specFile(), JSON.stringify({ argv: ['other'], display_name: 'Other', language: 'c' }));
    const { status, stderr } = await stridelab(['uninstall', '--prefix', folder]);
    expect(status).toBe(1);
    expect(stderr).toContain('is a kernelspec of another kernel');
    expect(existsSync(specFile())).toBe(true);
  });
});

describe('the command line', () => {
  test("every command has help, and the version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    for (const args of [['version'], ['--version']])
      expect(await stridelab(args)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    const { stdout } = await stridelab(['--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) .*$/gm)].map(match => match[1]!);
    expect(commands).toEqual(expect.arrayContaining(['install', 'uninstall', 'version']));
    for (const command of commands) {
      const help = await stridelab([command, '--help']);
      expect(help).toMatchObject({ status: 0, stderr: '' });
      expect(help.stdout).toContain('Usage: stridelab');
    }
  });

  test.each([
    [['install', '--usr'], 'Did you mean --user?'],
    [['instal'], 'Did you mean install?'],
    [
      ['install', '--user', '--prefix', '/x'],
      "option '--user' cannot be used with option '--prefix <folder>'"
    ],
    [['install', '--env', 'NOTHING'], 'Expected KEY=VALUE.']
  ])('%j is refused with a suggestion', async (args, hint) => {
    const { status, stdout, stderr } = await stridelab(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).not.toContain('    at ');
  });

  test('runs on Node 20, and reports an older one', async () => {
    const pretend = (version: string): RunOptions => ({
      node: [
        '--import',
        `data:text/javascript,Object.defineProperties(process,{version:{value:"v${version}"}});Object.defineProperty(process.versions,"node",{value:"${version}"})`
      ]
    });
    expect(await stridelab(['version'], pretend('20.19.0'))).toMatchObject({ status: 0 });
    const old = await stridelab(['version'], pretend('18.20.1'));
    expect(old).toMatchObject({ status: 1, stdout: '' });
    expect(old.stderr).toBe(
      'stridelab needs Node 20.19 or newer, but this is v18.20.1: install Node 24 from https://nodejs.org.\n'
    );
  });
});
