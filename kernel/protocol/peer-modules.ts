/** Modules that notebooks of other kernels import, and what replaces them. They need no download, and win over installed packages. */

/** Replacements by import specifier, where a `*` stands for a version: paths relative to the root of the compiled package, without extension. */
export const PEER_MODULES: Readonly<Record<string, string>> = {
  tslab: 'kernel/peers/tslab',
  'https://deno.land/x/display/mod.ts': 'kernel/peers/display',
  'https://deno.land/x/display@*/mod.ts': 'kernel/peers/display',
  'https://deno.land/x/deno_jupyter/mod.ts': 'kernel/peers/display',
  'https://deno.land/x/deno_jupyter@*/mod.ts': 'kernel/peers/display',
  'https://deno.land/x/anywidget/mod.ts': 'kernel/peers/anywidget',
  'https://deno.land/x/anywidget@*/mod.ts': 'kernel/peers/anywidget',
  '@anywidget/deno': 'kernel/peers/anywidget',
  'jsr:@anywidget/deno': 'kernel/peers/anywidget',
  'jsr:@anywidget/deno@*': 'kernel/peers/anywidget'
};

/** Returns the path of the module that replaces a specifier; undefined if it names no module of another kernel. */
export function peerModule(specifier: string): string | undefined {
  for (const [pattern, module] of Object.entries(PEER_MODULES)) {
    const [start, end] = pattern.split('*');
    const matches =
      end === undefined
        ? specifier === start
        : specifier.startsWith(start!) && specifier.slice(start!.length).endsWith(end);
    if (matches) return module;
  }
  return undefined;
}
