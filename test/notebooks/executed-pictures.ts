import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { writeNotebook } from './notebook-files.ts';

const CELLS = [
  "import { arange, devices, inspect, Stream } from 'stridelab';\nconst device = devices().find(({ simulated }) => simulated)!;\nconst a = arange(12, { dtype: 'float32', device }).reshape(3, 4);\na",
  'inspect(a)',
  'inspect(device)',
  'inspect(new Stream({ device }))'
];

/** Runs a notebook without a browser, and writes it as `build/FOLDER/NAME`: a static picture of an array, and three live ones. */
export async function executePictures(folder: string, name: string): Promise<string> {
  const source = writeNotebook(folder, 'pictures.ipynb', CELLS);
  const executed = join(root, 'build', folder, name);
  const main = join(root, 'dist', 'kernel', 'cli', 'main.js');
  const { status, output } = await run(process.execPath, [main, 'run', source, '--output', executed]);
  if (status !== 0) throw new Error(output);
  return executed;
}
