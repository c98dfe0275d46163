/** Large libraries, and libraries that Node also contains: they work inside a Node process, and Node's own copies still work. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { describeWith } from './environment.ts';
import { runProgram } from './program.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const TIME = 90_000;

/** Runs Python statements, then prints the value of a JavaScript expression as JSON. */
async function value(statements: string, expression: string, before = ''): Promise<unknown> {
  const { stdout, stderr, code, signal } = await runProgram(
    `${before}\npython.run(${JSON.stringify(statements)});\nconsole.log(JSON.stringify(await (${expression})));`
  );
  if (code !== 0) throw new Error(`ended with ${code ?? signal}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown;
}

describeWith([], 'TLS inside Node', () => {
  let folder: string;
  let pair: { key: string; cert: string };
  beforeAll(() => {
    folder = temporaryFolder();
    pair = { key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') };
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        pair.key,
        '-out',
        pair.cert,
        ...subject
      ],
      { stdio: 'ignore' }
    );
  });

  /** `serve(count)` answers `count` connections on a thread, `ask(port)` is a client. */
  const contexts = (): string => `
import ssl, socket, threading
server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain(${JSON.stringify(pair.cert)}, ${JSON.stringify(pair.key)})
client_context = ssl.create_default_context(cafile=${JSON.stringify(pair.cert)})
def serve(count):
  listener = socket.create_server(("localhost", 0))
  def answer():
    for _ in range(count):
      plain, _ = listener.accept()
      with server_context.wrap_socket(plain, server_side=True) as s: s.sendall(s.recv(100)[::-1])
  threading.Thread(target=answer, daemon=True).start()
  return listener.getsockname()[1]
def ask(port):
  with client_context.wrap_socket(socket.create_connection(("localhost", port)), server_hostname="localhost") as s:
    s.sendall(b"hello")
    return s.version() + " " + s.recv(100).decode()
`;
  const nodeTls = (): string => `import tls from 'node:tls'; import { readFileSync } from 'node:fs';
    const cert = readFileSync(${JSON.stringify(pair.cert)}), key = readFileSync(${JSON.stringify(pair.key)});
    const nodeAsks = port => new Promise((resolve, reject) => {
      const socket = tls.connect({ port, host: 'localhost', servername: 'localhost', ca: cert }, () => socket.write('hello'));
      socket.on('data', data => { resolve(socket.getProtocol() + ' ' + data); socket.end(); }).on('error', reject);
    });
    const server = tls.createServer({ key, cert }, socket => {
      socket.on('data', data => socket.end(Buffer.from(data).reverse())).on('error', () => undefined);
    });
    await new Promise(resolve => server.listen(0, 'localhost', resolve));\n`;

  test(
    'completes handshakes: Python with itself, with Node as server and as client, one after the other',
    async () => {
      const all = `(async () => {
        const ask = python.evaluate('ask'), serve = python.evaluate('serve');
        const results = [];
        for (let round = 0; round < 5; round += 1) {
          results.push(ask(serve(1)), await nodeAsks(serve(1)), await python.callAsync(ask, server.address().port));
          results.push(await nodeAsks(server.address().port));
        }
        server.close();
        return [...new Set(results)];
      })()`;
      expect(await value(contexts(), all, nodeTls())).toEqual(['TLSv1.3 olleh']);
    },
    TIME
  );
});

describeWith([], 'libraries that Node also contains', () => {
  test(
    'zlib reads data that Node wrote, and the reverse',
    async () => {
      const result = await value(
        'import zlib, gzip\ndata = bytes(range(256)) * 4096',
        `(() => {
          const text = Buffer.from(python.toJS(python.evaluate('data')));
          const mine = deflateSync(text), theirs = Buffer.from(python.toJS(python.evaluate('zlib.compress(data, 9)')));
          const same = python.evaluate('lambda b: zlib.decompress(b) == data')(python.bytes(mine));
          const zipped = python.evaluate('lambda b: gzip.decompress(b) == data')(python.bytes(gzipSync(text)));
          return [same, zipped, inflateSync(theirs).equals(text)];
        })()`,
        `import { deflateSync, inflateSync, gzipSync } from 'node:zlib';`
      );
      expect(result).toEqual([true, true, true]);
    },
    TIME
  );

  test(
    'hashlib agrees with Node for every algorithm that both have, and all others work',
    async () => {
      const result = await value(
        'import hashlib, hmac, secrets\nnames = sorted(hashlib.algorithms_available)\ndef digest(name):\n  h = hashlib.new(name, b"abc")\n  return h.hexdigest(16) if h.digest_size == 0 else h.hexdigest()\ndef tried(name):\n  try: return digest(name)\n  except ValueError as error: return f"refused: {error}"',
        `(() => {
          const digest = python.evaluate('tried'), known = new Set(getHashes().map(name => name.toLowerCase()));
          const names = python.toJS(python.evaluate('names'));
          const common = names.filter(name => known.has(name) && !name.startsWith('shake'));
          const other = common.filter(name => createHash(name).update('abc').digest('hex') !== digest(name) && !digest(name).startsWith('refused'));
          return [common.length > 5, other, names.filter(name => !/^([0-9a-f]{16,}|refused)/.test(digest(name)))];
        })()`,
        `import { createHash, getHashes } from 'node:crypto';`
      );
      expect(result).toEqual([true, [], []]);
    },
    TIME
  );

  test(
    'sqlite3, bz2, lzma and callbacks of ctypes work, and so does node:sqlite afterwards',
    async () => {
      const result = await value(
        `
import sqlite3, bz2, lzma, ctypes, ctypes.util
db = sqlite3.connect(":memory:")
db.execute("create table t (x)")
db.executemany("insert into t values (?)", [(i,) for i in range(10)])
db.create_function("twice", 1, lambda x: 2 * x)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])
numbers = (ctypes.c_int * 5)(3, 1, 2, 5, 4)
ctypes.CDLL(None).qsort(numbers, 5, ctypes.sizeof(ctypes.c_int), compare)
result = [db.execute("select sum(twice(x)) from t").fetchone()[0], list(numbers), bz2.decompress(bz2.compress(b"a")) == lzma.decompress(lzma.compress(b"a"))]`,
        `(() => {
          const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
          const row = new DatabaseSync(':memory:').prepare('select 6 * 7 as x').get();
          return [...python.toJS(python.evaluate('result')), row.x];
        })()`
      );
      expect(result).toEqual([90, [1, 2, 3, 4, 5], true, 42]);
    },
    TIME
  );

  test(
    'concurrent.futures runs threads that call JavaScript, and processes',
    async () => {
      const result = await value(
        'from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor\nimport operator\npool = ThreadPoolExecutor(8)\ndef spread(f): return list(pool.map(f, range(100)))\nwith ProcessPoolExecutor(2) as processes: negated = list(processes.map(operator.neg, range(4)))',
        `(async () => [python.toJS(await python.callAsync(python.evaluate('spread'), x => x * x)).at(-1), python.toJS(python.evaluate('negated'))])()`
      );
      expect(result).toEqual([9801, [0, -1, -2, -3].map(x => x + 0)]);
    },
    TIME
  );
});

/** Name, requirement, statements, expression, value. */
const LIBRARIES = [
  ['NumPy', ['numpy'], 'import numpy as np\nr = float(np.linalg.inv(np.diag([2.0, 4.0]))[1, 1])', 0.25],
  [
    'SciPy',
    ['scipy'],
    'from scipy import optimize, linalg\nr = round(float(optimize.brentq(lambda x: x * x - 2, 0, 2)) ** 2, 9)',
    2
  ],
  [
    'Numba',
    ['numba'],
    'import numba\n@numba.njit\ndef f(n):\n  s = 0\n  for i in range(n): s += i\n  return s\nr = f(1001)',
    500500
  ],
  [
    'PyTorch with autograd',
    ['torch'],
    'import torch\nx = torch.arange(4.0, requires_grad=True)\n((x @ x) * 2).backward()\nr = x.grad.tolist()',
    [0, 4, 8, 12]
  ],
  ['JAX', ['jax'], 'import jax, jax.numpy as jnp\nr = float(jax.jit(jax.grad(lambda x: x ** 3))(2.0))', 12],
  [
    'PyArrow',
    ['pyarrow'],
    'import pyarrow as pa, pyarrow.compute as pc\nr = pc.sum(pa.array([1, 2, None])).as_py()',
    3
  ]
] as const;

describe('large libraries inside Node', () => {
  for (const [name, needed, statements, expected] of LIBRARIES) {
    describeWith([...needed], name, () => {
      test(
        'works, and Node does afterwards',
        async () => {
          const after = `(async () => {
            const { createHash } = await import('node:crypto');
            const { brotliCompressSync, brotliDecompressSync } = await import('node:zlib');
            const back = brotliDecompressSync(brotliCompressSync(Buffer.from('a'.repeat(1000)))).length;
            return [python.toJS(python.evaluate('r')), createHash('sha1').update('a').digest('hex').slice(0, 6), back];
          })()`;
          expect(await value(statements, after)).toEqual([expected, '86f7e4', 1000]);
        },
        TIME
      );
    });
  }

  describeWith(['numpy', 'scipy', 'numba', 'torch', 'jax', 'pyarrow'], 'all in one process', () => {
    test(
      'work one after the other',
      async () => {
        const all = LIBRARIES.map(([, , statements]) => `${statements}\nresults.append(r)`).join('\n');
        const result = await value(
          `results = []\n${all}\nimport ssl, hashlib\nresults.append(hashlib.sha1(b"a").hexdigest()[:6])`,
          `python.toJS(python.evaluate('results'))`
        );
        expect(result).toEqual([...LIBRARIES.map(([, , , expected]) => expected), '86f7e4']);
      },
      TIME
    );
  });
});
