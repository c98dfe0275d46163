/** Every picture by name, each loaded when the first of its kind is shown. */

import type { CreateView } from './kit/view.ts';

const VIEWS = {
  ArrayInspector: async () => (await import('./array/array-picture.ts')).createArrayPicture,
  StreamTimeline: async () => (await import('./timeline/timeline.ts')).createStreamTimeline,
  DeviceCard: async () => (await import('./device/card.ts')).createDeviceCard,
  HandshakeDiagram: async () => (await import('./handshake/handshake.ts')).createHandshakeDiagram,
  StreamPill: async () => (await import('./stream/pill.ts')).createStreamPill,
  ClusterView: async () => (await import('./cluster/cluster-view.ts')).createClusterView,
  LaunchView: async () =>
    (await Promise.all([import('./launch/launch-view.ts'), import('stridelab-launch-style')]))[0]
      .createLaunchView,
  MemoryView: async () => (await import('./memory/memory-view.ts')).createMemoryView
} satisfies Record<string, () => Promise<CreateView>>;

export type ViewName = keyof typeof VIEWS;

export const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];

/** Finds a picture's loader; undefined for an unknown name, such as one of a newer version. */
export function findView(name: string): (() => Promise<CreateView>) | undefined {
  if (!Object.hasOwn(VIEWS, name)) return undefined;
  const load = VIEWS[name as ViewName];
  return async () => {
    const [create, { keepKeys }] = await Promise.all([
      load(),
      import('./kit/keys.ts'),
      import('stridelab-views-style')
    ]);
    return (host, options) => {
      keepKeys(host);
      return create(host, options);
    };
  };
}
