/** Reads from the environment which rank this process is: variables of torchrun, mpirun, srun, or a plain loop. Pure. */

import { ArgumentError } from '../base/errors.ts';

/** The place of this process among the ranks of a job. */
export interface RankEnvironment {
  /** The program that set the variables. */
  readonly launcher: string;
  readonly rank: number;
  readonly size: number;
  /** The number of the rank on its machine. */
  readonly localRank: number;
  /** The host of rank 0. */
  readonly address: string;
  /** The port on which rank 0 hands out the id. */
  readonly port: number;
  /** Identifies the job, so that ranks of two jobs on one host do not mix; may be empty. */
  readonly job: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Launcher {
  readonly name: string;
  readonly rank: string;
  readonly size: string;
  /** Variables with the number of the rank on its machine; the first that is set counts. */
  readonly local: readonly string[];
  readonly job: readonly string[];
}

/** In this order: a shell of a Slurm job has Slurm's variables, also where mpirun starts the ranks. */
const LAUNCHERS: readonly Launcher[] = [
  {
    name: 'torchrun or a loop',
    rank: 'RANK',
    size: 'WORLD_SIZE',
    local: ['LOCAL_RANK'],
    job: ['TORCHELASTIC_RUN_ID']
  },
  {
    name: 'mpirun of Open MPI',
    rank: 'OMPI_COMM_WORLD_RANK',
    size: 'OMPI_COMM_WORLD_SIZE',
    local: ['OMPI_COMM_WORLD_LOCAL_RANK'],
    job: ['PMIX_NAMESPACE', 'OMPI_MCA_ess_base_jobid']
  },
  {
    name: 'mpirun of MPICH or Intel MPI',
    rank: 'PMI_RANK',
    size: 'PMI_SIZE',
    local: ['MPI_LOCALRANKID'],
    job: ['PMI_JOBID', 'PMI_ID']
  },
  {
    name: 'srun',
    rank: 'SLURM_PROCID',
    size: 'SLURM_NTASKS',
    local: ['SLURM_LOCALID'],
    job: ['SLURM_JOB_ID']
  }
];

/** The port after torchrun's default, which its agent occupies. */
const DEFAULT_PORT = 29_501;

function wholeNumber(environment: Environment, name: string, least: number, most: number): number {
  const text = environment[name] ?? '';
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new ArgumentError(`${name} is '${text}', expected a whole number from ${least} to ${most}`);
  return value;
}

/** Returns the first host of a list in Slurm's form: `node03` for `node[03-06,9],other`. */
export function firstHost(list: string): string {
  const [, prefix = '', number = '', suffix = ''] = /^([^,[]*)(?:\[(\d+)[^\]]*\])?([^,]*)/.exec(list) ?? [];
  return prefix + number + suffix;
}

function addressOf(environment: Environment, { name }: Launcher, size: number): string {
  const given = environment['MASTER_ADDR'];
  if (given !== undefined && given !== '') return given;
  const nodes = environment['SLURM_STEP_NODELIST'] ?? environment['SLURM_JOB_NODELIST'];
  if (nodes !== undefined && nodes !== '') return firstHost(nodes);
  const here = environment['OMPI_COMM_WORLD_LOCAL_SIZE'] ?? environment['MPI_LOCALNRANKS'];
  if (here === undefined || Number(here) === size) return '127.0.0.1';
  throw new ArgumentError(
    `the ranks of ${name} run on several machines (${here} of ${size} on this one), but MASTER_ADDR is not set: pass the host of rank 0, ` +
      'as in mpirun -x MASTER_ADDR=node1'
  );
}

function portOf(environment: Environment): number {
  if (environment['STRIDELAB_PORT'] !== undefined)
    return wholeNumber(environment, 'STRIDELAB_PORT', 1, 65_535);
  if (environment['MASTER_PORT'] === undefined) return DEFAULT_PORT;
  return wholeNumber(environment, 'MASTER_PORT', 1, 65_534) + 1;
}

/** @throws ArgumentError if no launcher has set its variables, or one of them is malformed */
export function readEnvironment(environment: Environment): RankEnvironment {
  const launcher = LAUNCHERS.find(
    ({ rank, size }) => environment[rank] !== undefined || environment[size] !== undefined
  );
  if (launcher === undefined)
    throw new ArgumentError(
      `the environment does not say which rank this process is: expected ${LAUNCHERS.map(({ name, rank, size }) => `${rank} and ${size} (${name})`).join(', ')}`
    );
  for (const name of [launcher.rank, launcher.size])
    if (environment[name] === undefined)
      throw new ArgumentError(
        `${name} is not set, but ${launcher.rank === name ? launcher.size : launcher.rank} is`
      );
  const size = wholeNumber(environment, launcher.size, 1, 2 ** 24);
  const rank = wholeNumber(environment, launcher.rank, 0, size - 1);
  const local = launcher.local.find(name => environment[name] !== undefined);
  return {
    launcher: launcher.name,
    rank,
    size,
    localRank: local === undefined ? rank : wholeNumber(environment, local, 0, size - 1),
    address: addressOf(environment, launcher, size),
    port: portOf(environment),
    job: launcher.job.map(name => environment[name] ?? '').find(text => text !== '') ?? ''
  };
}
