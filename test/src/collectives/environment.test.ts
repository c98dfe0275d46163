/** Which rank a process is, by the variables of the program that started it. */

import { firstHost, readEnvironment } from '../../../src/collectives/environment.ts';
import { ArgumentError } from '../../../src/index.ts';

test.each([
  [
    'torchrun',
    {
      RANK: '3',
      WORLD_SIZE: '8',
      LOCAL_RANK: '1',
      MASTER_ADDR: 'node1',
      MASTER_PORT: '29500',
      TORCHELASTIC_RUN_ID: 'run7'
    },
    { rank: 3, size: 8, localRank: 1, address: 'node1', port: 29_501, job: 'run7' }
  ],
  [
    'a loop',
    { RANK: '1', WORLD_SIZE: '2' },
    { rank: 1, size: 2, localRank: 1, address: '127.0.0.1', port: 29_501, job: '' }
  ],
  [
    'mpirun of Open MPI, on one machine',
    {
      OMPI_COMM_WORLD_RANK: '0',
      OMPI_COMM_WORLD_SIZE: '2',
      OMPI_COMM_WORLD_LOCAL_RANK: '0',
      OMPI_COMM_WORLD_LOCAL_SIZE: '2',
      PMIX_NAMESPACE: 'ns'
    },
    { rank: 0, size: 2, localRank: 0, address: '127.0.0.1', job: 'ns' }
  ],
  [
    'mpirun of MPICH',
    { PMI_RANK: '1', PMI_SIZE: '4', MPI_LOCALRANKID: '1', MPI_LOCALNRANKS: '2', MASTER_ADDR: '10.0.0.1' },
    { rank: 1, size: 4, localRank: 1, address: '10.0.0.1' }
  ],
  [
    'srun',
    {
      SLURM_PROCID: '5',
      SLURM_NTASKS: '8',
      SLURM_LOCALID: '1',
      SLURM_STEP_NODELIST: 'gpu[07-08],gpu10',
      SLURM_JOB_ID: '42'
    },
    { rank: 5, size: 8, localRank: 1, address: 'gpu07', job: '42' }
  ],
  [
    'mpirun within a job of Slurm',
    {
      OMPI_COMM_WORLD_RANK: '1',
      OMPI_COMM_WORLD_SIZE: '2',
      OMPI_COMM_WORLD_LOCAL_RANK: '0',
      SLURM_PROCID: '0',
      SLURM_NTASKS: '1',
      SLURM_JOB_NODELIST: 'a,b'
    },
    { rank: 1, size: 2, localRank: 0, address: 'a' }
  ],
  [
    'a port of its own',
    { RANK: '0', WORLD_SIZE: '1', MASTER_PORT: '29500', STRIDELAB_PORT: '4000' },
    { port: 4_000 }
  ]
])('%s', (_, environment, expected) => {
  expect(readEnvironment(environment)).toMatchObject(expected);
});

test.each([
  [{}, /does not say which rank.*RANK and WORLD_SIZE.*OMPI_COMM_WORLD_RANK.*PMI_RANK.*SLURM_PROCID/],
  [{ RANK: '1' }, /WORLD_SIZE is not set, but RANK is/],
  [{ WORLD_SIZE: '2' }, /RANK is not set, but WORLD_SIZE is/],
  [{ RANK: '2', WORLD_SIZE: '2' }, /RANK is '2', expected a whole number from 0 to 1/],
  [{ RANK: '-1', WORLD_SIZE: '2' }, /RANK is '-1'/],
  [{ RANK: '', WORLD_SIZE: '2' }, /RANK is ''/],
  [{ RANK: '0', WORLD_SIZE: '0' }, /WORLD_SIZE is '0'/],
  [{ RANK: '0', WORLD_SIZE: '2', LOCAL_RANK: 'x' }, /LOCAL_RANK is 'x'/],
  [{ RANK: '0', WORLD_SIZE: '2', MASTER_PORT: '70000' }, /MASTER_PORT is '70000'/],
  [{ RANK: '0', WORLD_SIZE: '2', STRIDELAB_PORT: '0' }, /STRIDELAB_PORT is '0'/],
  [
    { OMPI_COMM_WORLD_RANK: '0', OMPI_COMM_WORLD_SIZE: '4', OMPI_COMM_WORLD_LOCAL_SIZE: '2' },
    /2 of 4 on this one.*MASTER_ADDR is not set/
  ]
])('refuses %j', (environment, message) => {
  expect(() => readEnvironment(environment)).toThrow(ArgumentError);
  expect(() => readEnvironment(environment)).toThrow(message);
});

test.each([
  ['node[01-04,07],gpu3', 'node01'],
  ['node7', 'node7'],
  ['a,b', 'a'],
  ['rack[2,5]-x,other', 'rack2-x'],
  ['gpu-3[1-2]', 'gpu-31']
])('the first host of %s is %s', (list, host) => {
  expect(firstHost(list)).toBe(host);
});
