/** The layers: the messages for wrong imports and includes in a sample tree. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { capture } from '../../scripts/setup/child.mjs';
import { root } from '../../scripts/setup/paths.mjs';
import { wrongIncludes } from '../../scripts/layers/includes.mjs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const folder = temporaryFolder();

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function cruise(): Promise<{ status: number; output: string }> {
  const bin = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
  const config = join(root, 'scripts', 'layers', 'rules.mjs');
  return capture(process.execPath, [bin, '--config', config, 'src', 'kernel', 'labextension/src'], {
    cwd: folder
  });
}

beforeAll(() =>
  write({
    'tsconfig.json': '{}',
    'src/base/errors.ts': 'export class E {}\n',
    'src/core/device.ts': "import { E } from '../base/errors.ts';\nexport class Device extends E {}\n",
    'src/array/array.ts':
      "import type { Device } from '../core/device.ts';\nexport interface A { device: Device }\n",
    'kernel/protocol/messages.ts': "import type { A } from '../../src/array/array.ts';\nexport type M = A;\n",
    'labextension/src/views/kit/dom.ts':
      "import { E } from '../../../../src/base/errors.ts';\nexport const e = new E();\n"
  })
);

test('downward imports pass', async () => {
  expect(await cruise()).toMatchObject({ status: 0 });
});

test.each([
  ['a value from above', 'src/base/a.ts', "export { Device } from '../core/device.ts';\n", 'src/base'],
  [
    'a type from above',
    'src/core/a.ts',
    "import type { A } from '../array/array.ts';\nexport type B = A;\n",
    'src/core'
  ],
  [
    'the kernel from the library',
    'src/core/a.ts',
    "import type { M } from '../../kernel/protocol/messages.ts';\nexport type B = M;\n",
    'the library'
  ],
  [
    'arrays from the page',
    'labextension/src/views/kit/a.ts',
    "import type { A } from '../../../../src/array/array.ts';\nexport type B = A;\n",
    'the page'
  ],
  [
    'a folder that is not listed',
    'src/stray/a.ts',
    "import { E } from '../base/errors.ts';\nexport const e = new E();\n",
    'is missing'
  ],
  ['a loop of values', 'src/base/a.ts', "import './b.ts';\nexport const a = 1;\n", 'in a loop']
])('%s is refused', async (_, path, text, message) => {
  write({ [path]: text, 'src/base/b.ts': "import './a.ts';\n" });
  try {
    const { status, output } = await cruise();
    expect(status).not.toBe(0);
    expect(output).toContain(message);
    expect(output).toContain(path);
  } finally {
    for (const planted of [path, 'src/base/b.ts']) rmSync(join(folder, planted));
  }
});

test('an upward include is refused, and so is an unlisted folder', () => {
  write({
    'native/core/a.h': '#include "driver/table.h"\n#include <vector>\n',
    'native/driver/b.h': '#pragma once\n'
  });
  const native = join(folder, 'native');
  expect(wrongIncludes(native)).toEqual([]);
  write({ 'native/driver/c.cc': '#include "core/a.h"\n', 'native/stray/d.h': '#include "stray/e.h"\n' });
  expect(wrongIncludes(native)).toEqual([
    expect.stringContaining('native/driver includes native/core'),
    expect.stringContaining('native/stray is missing')
  ]);
});
