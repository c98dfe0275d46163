import { inspect } from 'node:util';
import { Fragment, jsx, jsxs, type JsxComponent, type JsxProps } from '../../src/notebook/jsx/runtime.ts';
import { DISPLAY_METHOD } from '../../src/notebook/host.ts';

const html = (type: Parameters<typeof jsx>[0], props: JsxProps = {}): string => jsx(type, props).toString();

test.each<[JsxProps, string]>([
  [{}, '<p></p>'],
  [{ children: 'a < b & "c"' }, '<p>a &lt; b &amp; &quot;c&quot;</p>'],
  [{ children: ['x', 1, 2n, null, undefined, true, false, 0, ''] }, '<p>x120</p>'],
  [{ children: new Set([['a'], [['b']]]) }, '<p>ab</p>'],
  [{ children: { a: 1 } }, '<p>{ a: 1 }</p>'],
  [{ children: [jsx('i', {}), jsx(Fragment, { children: ['y', jsx('br', {})] })] }, '<p><i></i>y<br></p>'],
  [{ className: 'a', htmlFor: 'b', id: 'q"<' }, '<p class="a" for="b" id="q&quot;&lt;"></p>'],
  [{ class: ['a', false, null, 'b'] }, '<p class="a b"></p>'],
  [{ hidden: true, disabled: false, title: undefined, lang: null }, '<p hidden></p>'],
  [
    { 'aria-busy': true, 'data-x': false, contentEditable: true },
    '<p aria-busy="true" data-x="false" contentEditable="true"></p>'
  ],
  [
    {
      style: {
        backgroundColor: 'red',
        width: 5,
        lineHeight: 2,
        margin: 0,
        '--x': 3,
        WebkitMask: 'a',
        top: null
      }
    },
    '<p style="background-color:red;width:5px;line-height:2;margin:0;--x:3;-webkit-mask:a"></p>'
  ],
  [{ style: 'color: red' }, '<p style="color: red"></p>'],
  [
    { strokeWidth: 2, viewBox: '0 0 1 1', textLength: 4, xlinkHref: '#a' },
    '<p stroke-width="2" viewBox="0 0 1 1" textLength="4" xlink:href="#a"></p>'
  ],
  [{ key: 1, ref: {}, dangerouslySetInnerHTML: { __html: '<b>&</b>' } }, '<p><b>&</b></p>'],
  [{ children: { [DISPLAY_METHOD]: () => ({ 'text/html': '<hr>' }) } }, '<p><hr></p>'],
  [{ children: { [DISPLAY_METHOD]: () => ({ 'text/plain': '<x>' }) } }, '<p>&lt;x&gt;</p>']
])('renders %j', (props, expected) => {
  expect(html('p', props)).toBe(expected);
});

test('empty elements have no end tag and no content', () => {
  expect(html('img', { src: 'a.png', alt: '' })).toBe('<img src="a.png" alt="">');
  expect(() => html('br', { children: 'x' })).toThrow(/<br> is a void element/);
});

test('scripts and styles are text without entities, which cannot end them', () => {
  expect(html('style', { children: 'a > b { c: "d" }' })).toBe('<style>a > b { c: "d" }</style>');
  expect(html('script', { children: ['1 </script><b>', 2] })).toBe('<script>1 <\\/script><b>2</script>');
});

test('components are called with their attributes when they are shown', async () => {
  let calls = 0;
  const Card: JsxComponent<JsxProps> = ({ title, children }) => {
    calls += 1;
    return [jsx('h1', { children: title }), children as string];
  };
  const element = jsx(Card as JsxComponent, { title: 'T', children: 'c' });
  expect(calls).toBe(0);
  expect(`${String(element)}`).toBe('<h1>T</h1>c');
  const Later = async (): Promise<string> => Promise.resolve('late');
  const waiting = jsxs('p', { children: ['so ', jsx(Later, {}), Promise.resolve(jsx('b', {}))] });
  expect(await waiting.toHtml()).toBe('<p>so late<b></b></p>');
  expect(() => waiting.toString()).toThrow(/async.*toHtml/);
  expect(await waiting[DISPLAY_METHOD]()).toEqual({
    'text/html': '<p>so late<b></b></p>',
    'text/plain': '<p>so late<b></b></p>'
  });
  expect(inspect(jsx('p', {}))).toBe('<p></p>');
  expect(inspect(waiting)).toContain('cannot be rendered');
});

test.each<[string, () => unknown, RegExp]>([
  [
    'handlers',
    () => html('button', { onClick: () => 1 }),
    /onClick of <button> is a function.*stridelab\/widgets/
  ],
  ['functions as children', () => html('p', { children: () => 1 }), /cannot be shown/],
  ['tags that are none', () => html('a b', {}), /not an element name/],
  ['attributes that are none', () => html('a', { 'x y="': 1 }), /not an attribute name/],
  [
    'components that are not there',
    () => jsx(undefined as unknown as string, {}),
    /undefined \(check its import/
  ],
  ['classes', () => html(class Old {} as unknown as JsxComponent), /Old is a class/],
  ['two contents', () => html('p', { children: 1, dangerouslySetInnerHTML: { __html: '' } }), /one of them/],
  ['raw HTML that is not text', () => html('p', { dangerouslySetInnerHTML: 'x' }), /__html: string/]
])('%s are refused', (_what, render, message) => {
  expect(render).toThrow(message);
});
