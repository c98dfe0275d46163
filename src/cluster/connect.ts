/** Connects to a Dask cluster, or starts one on this machine. */

import { createRequire } from 'node:module';

import { ArgumentError } from '../base/errors.ts';
import { PythonError } from '../python/interpreter/errors.ts';
import { python } from '../python/python.ts';
import { Cluster } from './cluster.ts';
import { ClusterError } from './errors.ts';
import type { ClientModule, Connection } from './python-client.ts';
import { Results } from './results.ts';

/** A cluster of processes on this machine. */
export interface LocalClusterOptions {
  /** The number of workers. Default: chosen by Dask from the number of cores, or one for each GPU. */
  readonly workers?: number;
  /** The number of tasks that a worker runs at a time. Default: chosen by Dask; 1 with `gpus`. */
  readonly threads?: number;
  /** `each`: one worker for each GPU, by dask-cuda. Default: workers see all GPUs. */
  readonly gpus?: 'each';
  /** The memory of each worker above which it spills values to disk, such as `4GB`. Default: its share of the machine's memory. */
  readonly memoryLimit?: string;
  /** How workers send values: `tcp`, or `ucxx` for NVLink and InfiniBand, by distributed-ucxx. Default: `tcp`. */
  readonly protocol?: 'tcp' | 'ucxx';
}

/** Options of `connect`. */
export interface ConnectOptions {
  /** The time limit for the scheduler's answer, in ms. Default: 30 000. */
  readonly timeout?: number;
}

const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--enable-source-maps'];
/** The first version with synchronous hooks for modules. */
const LEAST_NODE = 24;

function loadClient(): ClientModule {
  try {
    return python.import('stridelab.cluster.client') as unknown as ClientModule;
  } catch (error) {
    if (!(error instanceof PythonError) || error.type !== 'ModuleNotFoundError') throw error;
    throw new ClusterError(
      `stridelab/cluster needs the Python package distributed: install it with pip install "dask[distributed]" (${error.message})`,
      { cause: error }
    );
  }
}

function printed(text: string): undefined {
  process.stdout.write(text);
}

/** Returns the command with which workers on this machine start the program of tasks; undefined to use that of their package. */
function ownCommand(): string[] | undefined {
  if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) return undefined;
  const program = createRequire(import.meta.url).resolve('#task-program');
  return [process.execPath, ...NODE_OPTIONS, program];
}

/** Returns Python's names of options. */
function localOptions(options: LocalClusterOptions): Record<string, unknown> {
  const { workers, threads, gpus, memoryLimit, protocol } = options;
  for (const [name, value] of Object.entries({ workers, threads }))
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new ArgumentError(`${name} is ${value}, expected a whole number above 0`);
  const named = { workers, threads, gpus, memory_limit: memoryLimit, protocol };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/**
 * Connects to the scheduler at an address such as `tcp://head:8786`, or starts a cluster of processes on this machine, which ends with the
 * connection. Each worker needs the Python package stridelab in the same version. `await using` closes the connection.
 * @throws ClusterError if the scheduler does not answer, or a worker cannot run tasks
 */
export async function connect(
  where: string | LocalClusterOptions = {},
  { timeout = 30_000 }: ConnectOptions = {}
): Promise<Cluster> {
  const local = typeof where !== 'string';
  const target = local ? localOptions(where) : where;
  const client = loadClient();
  const { version } = createRequire(import.meta.url)('#package') as { version: string };
  const results = new Results(client);
  try {
    results.connection = (await python.callAsync(
      client.Connection,
      target,
      version,
      local ? ownCommand() : undefined,
      python.float(timeout / 1_000),
      results.changed,
      printed
    )) as Connection;
  } catch (error) {
    const reason = error instanceof PythonError ? error.message : String(error);
    throw new ClusterError(
      `${local ? 'a cluster on this machine did not start' : `no connection to the cluster at ${where}`}: ${reason}`,
      { cause: error }
    );
  }
  const cluster = new Cluster(client, results);
  // So that the first picture is not empty.
  await cluster.observe();
  return cluster;
}
