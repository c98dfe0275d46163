/**
 * The folders as layers, lowest first: a folder imports itself and lower layers only.
 * `npm test` checks this with dependency-cruiser (`rules.mjs`) and, for includes of the native core, with `includes.mjs`.
 */
export const layers = {
  /** The array library. */
  src: [
    'base', // errors, texts, scopes
    'notebook', // output of cells, without arrays
    'notebook/jsx',
    'native', // the addon's types and loader
    'dtype',
    'layout',
    'core', // devices, streams, events, graphs
    'memory/manager', // the plugin interface of memory managers
    'memory/pool',
    'memory/managers',
    'memory', // storage
    'protocols', // the CUDA Array Interface and DLPack as types
    'compiler', // NVRTC
    'compute/program', // elementwise programs
    'compute/cuda', // kernels that the library generates
    'compute', // runs programs, reductions and copies
    'array',
    'interchange', // code shared by both protocols
    'interchange/cai',
    'interchange/dlpack',
    'ops', // functions of arrays
    'jit', // users' CUDA C++
    'kernels/source', // the source of functions
    'kernels/program', // kernels as programs
    'kernels/language', // from TypeScript to programs
    'kernels/cuda', // from programs to CUDA C++
    'kernels/machine', // from programs to the simulated machine
    'kernels/launch', // kernels, and their launches
    'kernels/debug', // kernels in the debugger
    'kernels/patterns', // map, reduce, scan, filter
    'kernels', // cuda
    'sharing', // arrays between processes
    'collectives',
    'python/interpreter',
    'python/arrays',
    'python/process',
    'python/memory',
    'python',
    'recording/trace',
    'recording/memory',
    'recording/exchanges',
    'cluster', // Dask
    'cluster/worker', // runs tasks beside a Dask worker
    'pictures/kit',
    'pictures/handshake',
    'pictures/timeline',
    'pictures/memory',
    'pictures/text',
    'pictures/array',
    'pictures/arrays',
    'pictures/device',
    'pictures/stream',
    'pictures/cluster',
    'pictures/launch',
    'pictures',
    '' // index.ts
  ],
  /** The Jupyter kernel; it uses all of src. */
  kernel: [
    'protocol', // messages between front and executor
    'widgets/model',
    'widgets/controls',
    'widgets/anywidget',
    'widgets/pictures/kit',
    'widgets/pictures/handshake/skipped-wait',
    'widgets/pictures/array',
    'widgets/pictures/device',
    'widgets/pictures/stream',
    'widgets/pictures/timeline',
    'widgets/pictures/memory',
    'widgets/pictures/cluster',
    'widgets/pictures/launch',
    'widgets/pictures/handshake',
    'widgets/pictures',
    'widgets/pictures/arrays',
    'widgets',
    'peers/deno', // Deno for cells
    'peers', // modules that notebooks of other kernels import
    'executor/transform', // from the text of a cell to a program
    'executor/context', // which cell runs, and where in it
    'executor/front', // the channel to the front
    'executor/display/console',
    'executor/display',
    'executor/interrupt',
    'executor/modules',
    'executor/python',
    'executor/values',
    'executor/errors',
    'executor/magics',
    'executor/imports/web', // modules by URL
    'executor/imports', // schemes of remote modules
    'executor/debugger',
    'executor/cell',
    'executor',
    'front/sockets',
    'front/history',
    'front/usage',
    'front/requests',
    'front/output',
    'front/executor', // the child process that runs cells
    'front/typescript',
    'front/language',
    'front/types',
    'front/debugger',
    'front',
    'cli/kit',
    'cli/jupyter',
    'cli/run',
    'cli/check',
    'cli/doctor',
    'cli'
  ],
  /** The page; it uses the folders of src in `pageUses`. */
  'labextension/src': [
    'views/kit',
    'views/array/panel',
    'views/array/layout',
    'views/array',
    'views/device',
    'views/stream',
    'views/handshake',
    'views/memory',
    'views/cluster',
    'views/launch',
    'views/timeline',
    'views',
    'documentation',
    'anywidget',
    'notebook',
    'models',
    'afm',
    'sidebar',
    'plugins'
  ],
  /** The native core, in C++. */
  native: [
    'include', // the C interface for other addons
    'ipc',
    'driver', // one table of driver functions
    'driver/simulated',
    'driver/recording',
    'hazards',
    'core',
    'nccl',
    'dlpack',
    'compute',
    'kernels', // kernels on simulated devices
    'collectives',
    'python',
    'binding', // the JavaScript bindings
    'interrupts' // a separate addon, which interrupts JavaScript
  ]
};

/** The folders of src that the page may import: types, and files that need neither Node nor the addon. */
export const pageUses = ['base', 'notebook', 'layout', 'interchange', 'cluster', 'recording/*', 'pictures/*'];
