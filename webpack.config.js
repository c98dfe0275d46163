/**
 * Builds three bundles of the page code, from the JavaScript that `tsc -b labextension` writes to build/compiled/page:
 *   labextension  the prebuilt JupyterLab extension, dist/labextension (a module federation container)
 *   embed         the AMD module dist/index.js that widget managers of static pages load by package name
 *   afm           the ES module dist/afm/stridelab.js with every picture, for hosts of anywidget's convention
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { LicenseWebpackPlugin } from 'license-webpack-plugin';
import { minify } from 'oxc-minify';
import webpack from 'webpack';

const fromRoot = (...parts) => path.join(import.meta.dirname, ...parts);
const readJson = file => JSON.parse(readFileSync(file, 'utf8'));

const product = readJson(fromRoot('package.json'));
const extension = readJson(fromRoot('labextension/package.json'));

/**
 * Writes calls of imports as `a.b()` instead of `(0,a.b)()`, which saves four bytes for each of a thousand calls. This is safe
 * because no imported function reads `this`.
 */
class PlainCalls {
  apply(compiler) {
    compiler.hooks.compilation.tap('PlainCalls', compilation => {
      compilation.hooks.finishModules.tap('PlainCalls', modules => {
        for (const { dependencies } of modules)
          for (const dependency of dependencies) if (dependency.call) dependency.directImport = false;
      });
    });
  }
}

/** Minifies the result of the first minifier again: this one writes `let` for `const` and joins more statements, which saves 1.3 %. */
class SecondMinifier {
  apply(compiler) {
    compiler.hooks.compilation.tap('SecondMinifier', compilation => {
      const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE + 1;
      compilation.hooks.processAssets.tapPromise({ name: 'SecondMinifier', stage }, async assets => {
        const module = compiler.options.output.module === true;
        for (const name of Object.keys(assets).filter(name => name.endsWith('.js'))) {
          const target = compiler.options.target.find(each => each.startsWith('es'));
          const { code, errors } = await minify(name, assets[name].source(), {
            module,
            compress: { target }
          });
          if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
          compilation.updateAsset(name, new webpack.sources.RawSource(code));
        }
      });
    });
  }
}

/**
 * Has files outside the kit of views import its files from their index, which webpack joins into one module: calls between them
 * are then calls of plain functions. The index leaves out what is loaded earlier than the kit.
 */
const joinedKit = new webpack.NormalModuleReplacementPlugin(
  /^(\.\.?\/)+(views\/)?kit\/(?!keys|phrases|settings)[\w-]+\.js$/,
  resource => {
    if (resource.context.startsWith(fromRoot('build/compiled/page')))
      resource.request = resource.request.replace(/[\w-]+\.js$/, 'index.js');
  }
);

const common = {
  devtool: false,
  target: ['web', 'es2022'],
  experiments: { css: true },
  module: {
    rules: [
      { test: /\.css$/, type: 'css/global', parser: { exportType: 'style' } },
      // Without side effects webpack would skip the index.
      { test: /kit\/index\.js$/, sideEffects: true }
    ]
  },
  plugins: [
    new PlainCalls(),
    new SecondMinifier(),
    joinedKit,
    new webpack.DefinePlugin({ STRIDELAB_VERSION: JSON.stringify(product.version) })
  ],
  optimization: {
    // The shortest names; the hash in a file's name changes with them.
    moduleIds: 'size',
    chunkIds: 'size',
    mangleExports: 'size',
    minimizeOptions: {
      // The first option assumes current browsers, so that nested rules are not expanded.
      css: { dropOverriddenDeclarations: true, rewriteCustomProperties: true },
      // No plain function here is called with `new`, so each may become an arrow function.
      javascript: { ecma: 2022, compress: { passes: 3, unsafe_arrows: true } }
    }
  },
  performance: {
    maxAssetSize: 208_000,
    maxEntrypointSize: 208_000,
    hints: 'error',
    assetFilter: name => /\.(?:js|css)$/.test(name)
  }
};

/**
 * The packages that are not bundled, because the page has them. The widget base is not part of JupyterLab's core, but its tokens are
 * compared by identity, so it must be the one that the widget manager shares. The extension's dependencies name the oldest tested
 * release of each package; `jupyter labextension list` compares them with the installed releases.
 */
const packages = Object.keys(extension.dependencies);

/** Writes the files beside `static/` that make the folder an extension: JupyterLab finds the container with `_build`. */
class ExtensionMetadata {
  apply(compiler) {
    compiler.hooks.thisCompilation.tap('ExtensionMetadata', compilation => {
      const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT;
      compilation.hooks.processAssets.tap({ name: 'ExtensionMetadata', stage }, assets => {
        const entry = Object.keys(assets).find(name => /^static\/remoteEntry\.[^.]+\.js$/.test(name));
        if (!entry) return;
        const emit = (name, content) =>
          compilation.emitAsset(name, new webpack.sources.RawSource(`${JSON.stringify(content, null, 2)}\n`));
        const build = {
          load: entry,
          extension: './extension',
          mimeExtension: './mimeExtension',
          style: './style'
        };
        emit('package.json', {
          ...extension,
          version: product.version,
          jupyterlab: { ...extension.jupyterlab, _build: build }
        });
        // The server reads the settings of each plugin from this folder, and the extension's name from this file.
        emit(`schemas/${product.name}/package.json.orig`, extension);
        for (const name of readdirSync(fromRoot('labextension/schema')))
          emit(`schemas/${product.name}/${name}`, readJson(fromRoot('labextension/schema', name)));
        // The documentation, because the tutorials link to it and are copied into other folders.
        const documentation = readdirSync(fromRoot('docs'), { recursive: true, encoding: 'utf8' });
        for (const name of documentation.filter(name => /^[\w-].*\.(?:md|png|svg)$/.test(name)))
          compilation.emitAsset(
            path.join('static', 'docs', name),
            new webpack.sources.RawSource(readFileSync(fromRoot('docs', name)))
          );
        emit('install.json', {
          packageManager: 'npm',
          packageName: product.name,
          uninstallInstructions: 'Delete the folder labextensions/stridelab that contains this file.'
        });
      });
    });
  }
}

/** JupyterLab shows this file under Help > Licenses. */
const licenses = new LicenseWebpackPlugin({
  perChunkOutput: false,
  // The text of our own licence is in the package. Today no other package is bundled; one that is added will be listed.
  excludedPackageTest: name => name === product.name,
  outputFilename: 'static/third-party-licenses.json',
  renderLicenses: modules => {
    const packages = modules.map(({ packageJson, licenseId, licenseText }) => ({
      name: packageJson.name,
      versionInfo: packageJson.version,
      licenseId: licenseId ?? '',
      extractedText: licenseText ?? ''
    }));
    return `${JSON.stringify({ packages }, null, 2)}\n`;
  }
});

/** Style sheets of pictures, loaded with the code that needs them. */
const SHEETS = {
  'stridelab-views-style': fromRoot('labextension/style/first.css'),
  'stridelab-panels-style': fromRoot('labextension/style/panels.css'),
  'stridelab-timeline-style': fromRoot('labextension/style/timeline-details.css'),
  'stridelab-handshake-style': fromRoot('labextension/style/handshake-details.css'),
  'stridelab-use-style': fromRoot('labextension/style/use.css'),
  'stridelab-launch-style': fromRoot('labextension/style/launch.css')
};

const labextension = {
  ...common,
  name: 'labextension',
  resolve: {
    alias: {
      'stridelab-start-style': fromRoot('labextension/style/start.js'),
      'stridelab-arrays-style': fromRoot('labextension/style/arrays.css'),
      ...SHEETS
    }
  },
  entry: { remoteEntry: fromRoot('build/compiled/page/src/plugins/container.js') },
  externals: Object.fromEntries(
    packages.map((name, place) => [name, `var _JUPYTERLAB.${product.name}.packages[${place}]`])
  ),
  output: {
    path: fromRoot('dist/labextension'),
    filename: 'static/[name].[contenthash].js',
    chunkFilename: 'static/[name].[contenthash].js',
    publicPath: 'auto',
    library: { type: 'var', name: ['_JUPYTERLAB', product.name] },
    uniqueName: product.name,
    chunkLoadingGlobal: '_stridelab',
    hashDigestLength: 8,
    clean: true
  },
  // Each view is loaded separately; code that several views use is loaded once.
  optimization: {
    ...common.optimization,
    splitChunks: {
      chunks: 'async',
      cacheGroups: {
        default: false,
        views: { test: /compiled\/(page\/src\/views|src)\//, name: 'views', minChunks: 2, enforce: true },
        // Code that only tabs of the array inspector need, and that several of them share.
        tabs: {
          test: /style\/(tools|values|histogram|bytes|layout|difference|panels)\.css|views\/array\/(sheet|look|colour-scale)/,
          name: 'tabs',
          minChunks: 2,
          priority: 1,
          enforce: true
        },
        // A separate group, because static pictures need no widget base and must not wait for it.
        models: {
          test: /compiled\/page\/src\/(models|anywidget\/binary)/,
          name: 'models',
          minChunks: 2,
          enforce: true
        },
        // Code that JupyterLab's start needs; the pictures are loaded later.
        plugins: {
          test: /compiled\/(page\/src\/(plugins|models\/version|notebook\/(shown|placed)-pictures|views\/kit\/(phrases|settings))|src\/pictures\/kit\/live-messages)/,
          name: 'plugins',
          minChunks: 2,
          priority: 1,
          enforce: true
        },
        // Code that the Arrays panel and the Running panel share, and that JupyterLab's start does not need.
        sidebar: {
          test: /compiled\/page\/src\/sidebar\/(arrange|arrays-model|free-sentences|kernel-arrays|sources)/,
          name: 'sidebar',
          minChunks: 2,
          enforce: true
        }
      }
    }
  },
  plugins: [
    ...common.plugins,
    new webpack.DefinePlugin({ STRIDELAB_PACKAGES: JSON.stringify(packages) }),
    licenses,
    new ExtensionMetadata()
  ]
};

/** For bundles that load all style sheets at once: none is loaded with code. */
const WITH_ALL_STYLES = Object.fromEntries(Object.keys(SHEETS).map(name => [name, false]));

const embed = {
  ...common,
  name: 'embed',
  // One file, because loaders of static pages fetch only one.
  module: { ...common.module, parser: { javascript: { dynamicImportMode: 'eager' } } },
  resolve: { alias: WITH_ALL_STYLES },
  entry: {
    index: [fromRoot('labextension/style/index.js'), fromRoot('build/compiled/page/src/models/index.js')]
  },
  output: {
    path: fromRoot('dist'),
    filename: '[name].js',
    library: { type: 'amd' },
    uniqueName: `${product.name}-embed`,
    publicPath: 'auto'
  },
  externals: ['@jupyter-widgets/base']
};

const afm = {
  ...common,
  name: 'afm',
  module: {
    // As text, because hosts may draw in shadow trees, to which style elements of the page do not apply.
    rules: [{ test: /\.css$/, type: 'css/global', parser: { exportType: 'text' } }],
    parser: { javascript: { dynamicImportMode: 'eager' } }
  },
  resolve: {
    alias: { 'stridelab-style': fromRoot('labextension/style/index.css'), ...WITH_ALL_STYLES }
  },
  experiments: { ...common.experiments, outputModule: true },
  entry: { stridelab: fromRoot('build/compiled/page/src/afm/module.js') },
  output: {
    path: fromRoot('dist/afm'),
    filename: '[name].js',
    library: { type: 'module' },
    uniqueName: `${product.name}-afm`,
    publicPath: ''
  }
};

export default [labextension, embed, afm];
