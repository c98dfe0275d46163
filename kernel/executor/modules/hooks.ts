/** Resolves and loads `import` and `require` in cells and in the user's own modules. */

import { readFileSync } from 'node:fs';
import {
  createRequire,
  registerHooks,
  type ImportAttributes,
  type LoadFnOutput,
  type ResolveFnOutput,
  type ResolveHookContext
} from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TsConfig } from '../../protocol/tsconfig.ts';
import { filesFor, isFile } from '../../protocol/user-files.ts';
import { isLocal, isOwn, type LocalModules } from './local-modules.ts';
import type { RemoteImports } from './remote-imports.ts';
import { RemoteImportError } from './remote-scheme.ts';
import type { StoppedImports } from './stopped-imports.ts';
import { checkModule, isJavaScript, isTypeScript, type TypeScriptModules } from './typescript-modules.ts';

const RESOLVER = 'export default specifier => import.meta.resolve(specifier);';

export interface ModuleHost {
  readonly local: LocalModules;
  readonly remote: Pick<RemoteImports, 'resolve' | 'file'>;
  readonly stopped: StoppedImports;
  readonly typescript: TypeScriptModules;
  /** Path of a virtual module that resolves specifiers from the notebook's folder. */
  readonly resolver: string;
  config(): TsConfig;
  /** Returns whether the path is a cell's, whose imports check the disk again. */
  isCell(path: string): boolean;
}

export function hookModules(host: ModuleHost): void {
  const asNeeded = (resolved: ResolveFnOutput): ResolveFnOutput => ({
    ...resolved,
    url: host.stopped.url(resolved.url)
  });
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL } = context;
      const remote = parentURL === undefined ? undefined : host.remote.resolve(specifier, parentURL);
      if (remote !== undefined && 'url' in remote) return withUrl(host, specifier, remote.url, context);
      if (remote !== undefined) {
        const { specifier, parent } = remote;
        // For `require`, Node resolves from the file that requires, whatever the context.
        return asNeeded(
          context.conditions.includes('require')
            ? { url: pathToFileURL(createRequire(parent).resolve(specifier)).href, shortCircuit: true }
            : nextResolve(specifier, { ...context, parentURL: parent })
        );
      }
      const importer = fileOf(parentURL);
      if (importer === undefined) return nextResolve(specifier, context);
      if (!isLocal(importer)) return asNeeded(nextResolve(specifier, context));
      if (specifier === host.resolver) return { url: pathToFileURL(specifier).href, shortCircuit: true };
      if (host.isCell(importer)) host.local.refresh();
      const file = ownFile(host.config(), specifier, importer);
      if (file !== undefined) {
        return {
          url: host.local.url(file, importer),
          shortCircuit: true,
          importAttributes: attributesFor(file, context.importAttributes)
        };
      }
      const resolved = nextResolve(specifier, context);
      const path = fileOf(resolved.url);
      // A workspace package is a link to the user's own files.
      return path !== undefined && isLocal(path)
        ? { ...resolved, url: host.local.url(path, importer) }
        : asNeeded(resolved);
    },
    load(url, context, nextLoad) {
      const kept = host.remote.file(url);
      if (kept !== undefined) return loadKept(host, url, kept);
      const path = fileOf(url);
      if (path !== undefined && !isLocal(path) && !isOwn(path)) host.stopped.note(url);
      if (path === host.resolver) return { format: 'module', source: RESOLVER, shortCircuit: true };
      if (path !== undefined && isLocal(path)) checkModule(path);
      if (path === undefined || !isTypeScript(path)) {
        const loaded = nextLoad(url, context);
        if (path === undefined || !isLocal(path) || !isJavaScript(path)) return loaded;
        return { ...loaded, source: withKernels(host.typescript, url, loaded.source) };
      }
      const { format, source } = host.typescript.load(
        url,
        host.config().compilerOptions,
        context.conditions.includes('require')
      );
      return { format, source, shortCircuit: true };
    }
  });
}

/** Resolves to a module that keeps its URL. */
function withUrl(
  host: ModuleHost,
  specifier: string,
  url: string,
  { conditions, importAttributes }: ResolveHookContext
): ResolveFnOutput {
  if (conditions.includes('require'))
    throw new RemoteImportError(`require cannot load ${url}: use import`, specifier);
  const file = host.remote.file(url) ?? '';
  return { url, shortCircuit: true, importAttributes: attributesFor(file, importAttributes) };
}

function loadKept(host: ModuleHost, url: string, file: string): LoadFnOutput {
  if (file.endsWith('.json')) return { format: 'json', source: readFileSync(file), shortCircuit: true };
  checkModule(file, url);
  const source = isTypeScript(file) ? host.typescript.load(url, {}, false, file).source : readFileSync(file);
  return { format: 'module', source, shortCircuit: true };
}

function withKernels(
  modules: TypeScriptModules,
  url: string,
  source: LoadFnOutput['source']
): LoadFnOutput['source'] {
  if (source === undefined) return source;
  const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
  const code = modules.withKernels(url, text);
  return code === text ? source : code;
}

/** Returns the import attributes. Node requires one for JSON; TypeScript with `resolveJsonModule` does not. */
function attributesFor(file: string, written: ImportAttributes): ImportAttributes {
  return file.endsWith('.json') ? { type: 'json', ...written } : written;
}

/** Returns the user's own file that a specifier names; undefined if it names a package or another URL. */
export function ownFile(config: TsConfig, specifier: string, importer: string): string | undefined {
  const path = pathOf(specifier, importer);
  if (path !== undefined) return filesFor(path).find(isFile);
  if (specifier.startsWith('node:') || specifier.startsWith('#')) return undefined;
  return config.resolvePaths(specifier).flatMap(filesFor).find(isFile);
}

function fileOf(url: string | undefined): string | undefined {
  return url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;
}

/** Returns the path of a relative or absolute specifier or a file URL; undefined for packages and other URLs. */
function pathOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  const path = specifier.replace(/[?#].*$/, '');
  if (isAbsolute(path)) return path;
  return /^\.\.?(?:\/|$)/.test(path) ? resolve(dirname(importer), decode(path)) : undefined;
}

/** Decodes a specifier, which is a URL reference: a per cent sign in a file name is written as `%25`, or literally. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
