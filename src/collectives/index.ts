/** Collective operations over several devices. */

export {
  Communicator,
  type CommunicatorOptions,
  type EnvironmentOptions,
  type PeerOptions,
  type ReduceOptions,
  type RootOptions,
  type ShrinkOptions,
  type TargetOption
} from './communicator.ts';
export type { ReductionName } from './elements.ts';
export type { CollectiveLibrary } from './library.ts';
