import { jest } from '@jest/globals';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellLanguage } from '../../kernel/protocol/cell-language.ts';
import {
  importedJsxSource,
  jsxImports,
  jsxSourceOf,
  nextJsxSource,
  rendererSpecifiers
} from '../../kernel/protocol/jsx-source.ts';
import { field, traceback } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

// The machine may be busy.
jest.setTimeout(60_000);

describe('the JSX source of a specifier', () => {
  test.each([
    ['react', 'react'],
    ['react/jsx-runtime', 'react'],
    ['react-dom/server', 'react'],
    ['preact', 'preact'],
    ['preact/hooks', 'preact'],
    ['preact-render-to-string', 'preact'],
    ['npm:react', 'npm:react'],
    ['npm:react@19', 'npm:react@19'],
    ['npm:react@^19.1.0/jsx-runtime', 'npm:react@^19.1.0'],
    ['npm:/react@19', 'npm:/react@19'],
    ['npm:react-dom@18/server', 'npm:react@18'],
    ['npm:preact@10/hooks', 'npm:preact@10'],
    ['npm:preact-render-to-string@6', 'npm:preact'],
    ['https://esm.sh/react@19', 'https://esm.sh/react@19'],
    ['https://esm.sh/react@18.2.0?dev', 'https://esm.sh/react@18.2.0'],
    ['https://esm.sh/v135/react-dom@18/server', 'https://esm.sh/v135/react@18'],
    ['https://esm.sh/*preact@10/hooks', 'https://esm.sh/*preact@10']
  ])('%s is %s', (specifier, source) => {
    expect(jsxSourceOf(specifier)?.source).toBe(source);
  });

  test.each([
    'reactive',
    'react-router',
    'preact-router',
    'react@19',
    './react',
    '@scope/react',
    'npm:react-dom-x',
    'preact-dom',
    'react-render-to-string'
  ])('%s has none', specifier => {
    expect(jsxSourceOf(specifier)).toBeUndefined();
  });

  test.each([
    ['react', undefined, ['react-dom/server']],
    ['react', 'preact', ['react-dom/server']],
    ['react', 'npm:react@19', ['npm:react-dom@19/server', 'react-dom/server']],
    ['preact', 'preact', ['preact-render-to-string']],
    ['preact', 'npm:preact@10', ['npm:preact-render-to-string', 'preact-render-to-string']]
  ] as const)('elements of %s are rendered, if %s was imported, with %j', (library, source, specifiers) => {
    expect(rendererSpecifiers(library, source)).toEqual(specifiers);
  });
});

describe('the JSX of a cell', () => {
  const next = (code: string, current?: string, assigned?: string[]): string | undefined =>
    nextJsxSource(current, jsxImports(code), assigned && new Set(assigned));

  test.each([
    ["import React from 'react'", 'react'],
    ["import * as React from 'npm:react@19'", 'npm:react@19'],
    ["import { h, type VNode } from 'preact'", 'preact'],
    ["import 'preact/debug'", 'preact'],
    ["import type { FC } from 'react'", 'react'],
    ["import React = require('react')", 'react'],
    ["const { h: make, ...rest } = await import('preact')", 'preact'],
    ["const React = require('react'), b = 1", 'react'],
    [
      "import { renderToString } from 'npm:react-dom@18/server'; import React from 'npm:react@19'",
      'npm:react@19'
    ],
    ["import React from 'npm:react@19'; import { renderToString } from 'react-dom/server'", 'npm:react@19'],
    ["import React from 'react'; import { h } from 'preact'", 'preact'],
    ["const later = () => import('react'); function f() { return require('react') }", undefined],
    ["'import React from react'; // import 'react'", undefined],
    ['const = react', undefined]
  ])('after %s is that of %s', (code, source) => {
    expect(next(code)).toBe(source);
  });

  test('remains what it was if the cell does not reach the import', () => {
    const code = "import React, { useState } from 'react'; const { h } = await import('preact')";
    expect(next(code, undefined, [])).toBeUndefined();
    expect(next(code, undefined, ['React'])).toBeUndefined();
    expect(next(code, undefined, ['React', 'useState'])).toBe('react');
    expect(next(code, 'npm:react@19', ['React'])).toBe('npm:react@19');
    expect(next("import 'preact/debug'; throw 1", undefined, [])).toBeUndefined();
  });

  test.each([
    [{}, 'react'],
    [{ jsx: 'preserve' }, 'react'],
    [{ jsxImportSource: 'preact' }, undefined],
    [{ jsx: 'react' }, undefined],
    [{ jsx: 'react-jsx' }, undefined]
  ] as const)('with the user settings %j is that of %s', (options, source) => {
    expect(importedJsxSource(options, 'react', [])).toBe(source);
  });

  test('is known for cells in any language', () => {
    expect(cellLanguage("import React from 'react'; <b/>")).toBe('tsx');
    expect(next("import React from 'react'; <b/>")).toBe('react');
  });
});

describe('in a notebook', () => {
  withKernel('tcp', { STRIDELAB_TYPES: 'strict', STRIDELAB_TYPES_DEADLINE: '60000' });

  /** A package with its own JSX, whose elements are strings. */
  function writePreact(packages: string): void {
    const files = {
      'preact/package.json': { name: 'preact', type: 'module', exports: { '.': './h.js', './*': './*.js' } },
      'preact/h.js': 'export const h = (type, props, ...children) => `${type}(${children})`;',
      'preact/h.d.ts':
        'export declare function h(type: string, props: object | null, ...children: unknown[]): string;',
      'preact/jsx-runtime.js':
        'export const jsx = (type, { children = "" }) => `${type}(${children})`; export const jsxs = jsx; export const Fragment = "_";',
      'preact/jsx-runtime.d.ts':
        'export namespace JSX { type Element = string; interface IntrinsicElements { b: { width: number; children?: unknown } } }\n' +
        'export declare function jsx(type: string, props: object, key?: string): string;\nexport declare const Fragment: string;'
    };
    mkdirSync(join(packages, 'preact'), { recursive: true });
    for (const [file, content] of Object.entries(files)) {
      writeFileSync(join(packages, file), typeof content === 'string' ? content : JSON.stringify(content));
    }
  }

  const errors = async (code: string): Promise<string[]> => {
    const { messages } = await kernel.execute(code);
    const error = messages.find(({ type }) => type === 'error');
    const found = field<{ code: string }[] | undefined>(
      error?.metadata,
      'application/vnd.stridelab.diagnostics+json',
      'diagnostics'
    );
    return (found ?? []).map(({ code }) => code);
  };

  beforeAll(() => {
    const packages = join(kernel.folder, 'node_modules');
    writePreact(packages);
    for (const name of ['react', 'react-dom', '@types']) {
      symlinkSync(join(import.meta.dirname, '../../node_modules', name), join(packages, name));
    }
  });

  const html = async (code: string): Promise<unknown> => {
    const { messages, reply } = await kernel.execute(code);
    expect(reply).toMatchObject({ status: 'ok' });
    return field(messages.find(({ type }) => type === 'execute_result')?.content, 'data', 'text/html');
  };

  test('JSX is the library’s until a cell has imported React, then that of React, with its types', async () => {
    expect(await html('const own = <p class="a" key="k">x</p>; own')).toBe('<p class="a">x</p>');
    expect(await errors('const el: { nothing: 1 } = <p>x</p>')).toEqual(['TS2741']);
    await kernel.execute(
      "import React, { useState } from 'react'; import { renderToStaticMarkup } from 'react-dom/server';"
    );
    expect((await kernel.execute('renderToStaticMarkup(<p className="a">hi</p>)')).result).toBe(
      `'<p class="a">hi</p>'`
    );
    expect(
      await html(
        'const Count = ({ from }: { from: number }) => { const [n] = useState(from); return <><b key="n">{n}</b></> };\n<Count from={3} />'
      )
    ).toBe('<b>3</b>');
    expect(
      await html(
        'class Text extends React.Component<{ to: string }> { override render() { return <i>{this.props.to}</i> } }\n<Text to="<" />'
      )
    ).toBe('<i>&lt;</i>');
    const { messages } = await kernel.execute('await display(<Count from={4} />)');
    const displayed = messages.find(({ type }) => type === 'display_data');
    expect(field(displayed?.content, 'data', 'text/html')).toBe('<b>4</b>');
    expect(await errors('<p class="a">x</p>')).toEqual(['TS2322']);
    expect(await errors('1;\n<Count from="3" />; <Text />')).toEqual(['TS2322', 'TS2769']);
    // Elements of earlier cells keep their types.
    expect((await kernel.execute('own.toString()')).result).toBe(`'<p class="a">x</p>'`);
  });

  test('a comment in the cell wins, and places in the cell are right', async () => {
    expect(await html('/** @jsxImportSource stridelab */\n<p class="a">x</p>')).toBe('<p class="a">x</p>');
    expect((await kernel.execute('/** @jsx h */\nconst h = (tag: string) => tag + "!"; <b />')).result).toBe(
      "'b!'"
    );
    const { reply } = await kernel.execute('const shown = (\n  <p title={1}>x</p>\n)');
    expect(traceback(reply)).toMatch(/:2:6 - error TS2322/);
    const code = 'const el = <p>{own.toH}</p>';
    const completed = await kernel.request('complete_request', { code, cursor_pos: code.indexOf('}') });
    expect(completed).toMatchObject({ matches: ['toHtml'], cursor_start: code.indexOf('toH') });
    const described = await kernel.request('inspect_request', {
      code: '<Count from={1} />',
      cursor_pos: 3,
      detail_level: 1
    });
    expect(field(described, 'data', 'text/plain')).toContain('const Count = ({ from }');
  });

  test('the latest import of another library wins, also with its types; %reset returns to the library’s', async () => {
    await kernel.execute("import { h } from 'preact'");
    expect((await kernel.execute('<b width={1}>a</b>')).result).toBe("'b(a)'");
    expect(await errors('<b width="1">a</b>; <i />')).toEqual(['TS2322', 'TS2339']);
    await kernel.execute('%types warn\n%reset');
    expect(await html('<b class="a">x</b>')).toBe('<b class="a">x</b>');
  });

  test('a failed import changes nothing, and a file has the JSX that it imports', async () => {
    await kernel.execute("%types off\nimport React from 'react'; import { no } from 'react-dom/nothing';");
    writeFileSync(
      join(kernel.folder, 'card.tsx'),
      "import { h } from 'preact';\nexport const card = <b>x</b>;"
    );
    expect((await kernel.execute("import { card } from './card.tsx'; card")).result).toBe("'b(x)'");
    expect(await html('<b class="a">x</b>')).toBe('<b class="a">x</b>');
  });

  test('the user’s settings win', async () => {
    writeFileSync(
      join(kernel.folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } })
    );
    await kernel.execute("%types strict\nimport React from 'react'");
    expect((await kernel.execute('<b width={1}>a</b>')).result).toBe("'b(a)'");
    expect(await errors('<b width="1">a</b>')).toEqual(['TS2322']);
  });
});
