/** Programs with kernels that use the npm package through other tools, whose versions are fixed here. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../setup/repository.ts';
import { addonTarball, libraryTarball } from './built.ts';
import { project } from './project.ts';
import { succeed } from './pythons.ts';

const MINUTES = 60_000;
const TOOLS = ['vitest@4.1.12', 'vite@8.3.8', 'tsx@4.23.15'];

const PROGRAM = `import { arange, cuda, zeros, type f32, type DeviceArray } from 'stridelab';
interface Settings { factor: number }
const settings: Settings = { factor: 2 };
const twice = (x: f32): f32 => x * settings.factor;
const scale = cuda.kernel((x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>, by: f32) => {
  const i = cuda.grid(1);
  if (i < x.length) out[i] = twice(x[i]!) * by;
});
const wrong = cuda.kernel((x: DeviceArray<f32>) => {
  x[cuda.grid(1) / 2] = 1;
});
const x = arange(10, { dtype: 'float32' });
const out = zeros(10, { dtype: 'float32' });
scale.launch({ grid: 1, block: 32 }, x, out, 3);
let message = '';
try {
  wrong.launch({ grid: 1, block: 1 }, out);
} catch (error) {
  message = String(error);
}
export const result = \`\${Number(out.item(5))} \${/\\w+\\.ts, line \\d+/.exec(message)?.[0]}\`;
console.log(result);
`;
const RESULT = '30 program.ts, line 10';

describe('kernels in programs', () => {
  let folder: string;
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const node = async (...args: readonly string[]): Promise<string> =>
    (await succeed('env', ['-C', folder, process.execPath, ...args])).trim();

  beforeAll(async () => {
    folder = await project('module', libraryTarball(), addonTarball(), ...TOOLS);
    write('program.ts', PROGRAM);
  }, 3 * MINUTES);

  test(
    'Node with the hook, and tsx after it',
    async () => {
      const hook = ['--import', 'stridelab/register'];
      expect(await node(...hook, 'program.ts')).toBe(RESULT);
      expect(await node(...hook, '--import', 'tsx', 'program.ts')).toBe(RESULT);
    },
    MINUTES
  );

  test(
    'without the hook, and with tsx before it, an error says what to add',
    async () => {
      const failure = async (...args: readonly string[]): Promise<string> => {
        const { status, output } = await run('env', ['-C', folder, process.execPath, ...args, 'program.ts']);
        expect(status).toBe(1);
        return output;
      };
      expect(await failure()).toMatch(
        /KernelError: .*by: the type of the number is unknown[^]*node --import stridelab\/register/
      );
      expect(await failure('--import', 'tsx', '--import', 'stridelab/register')).toMatch(
        /another loader has compiled .*program\.ts before/
      );
    },
    MINUTES
  );

  test(
    'Vite: a minified build, and the development server',
    async () => {
      write(
        'vite.config.mjs',
        `import { rollupStridelab } from 'stridelab/bundler';
        export default { plugins: [rollupStridelab()], logLevel: 'error', build: { ssr: 'program.ts', minify: true } };`
      );
      await node('node_modules/vite/bin/vite.js', 'build');
      expect(await node('dist/program.js')).toBe(RESULT);
      write(
        'server.mjs',
        `import { createServer } from 'vite';
        const server = await createServer({ server: { middlewareMode: true, ws: false }, appType: 'custom' });
        await server.ssrLoadModule('/program.ts');
        await server.close();`
      );
      expect(await node('server.mjs')).toBe(RESULT);
    },
    MINUTES
  );

  test(
    'Vitest',
    async () => {
      write(
        'vitest.config.mjs',
        `import { rollupStridelab } from 'stridelab/bundler';
        export default { plugins: [rollupStridelab()] };`
      );
      write(
        'program.test.ts',
        `import { expect, test } from 'vitest';
        import { result } from './program.ts';
        test('kernels', () => expect(result).toBe('${RESULT}'));`
      );
      expect(await node('node_modules/vitest/vitest.mjs', 'run')).toContain('1 passed');
    },
    MINUTES
  );
});
