/** Order between two processes whose simulated devices defer all work: only the library's waits make it run. */

import { empty } from '../../../src/array/creation.ts';
import { native } from '../../../src/native/load.ts';
import { share } from '../../../src/sharing/index.ts';
import { Stream } from '../../../src/core/stream.ts';
import { until } from '../../setup/until.ts';
import { Peer } from './peer.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const device = 'sim:0';

let peer: Peer;
beforeAll(async () => {
  peer = await Peer.start({ STRIDELAB_SIM_SCHEDULE: 'hazard' });
});
afterAll(() => peer.exit());
beforeEach(() => native().simulated.setSchedule('hazard'));
afterEach(() => native().simulated.setSchedule('eager'));

skipUnderPlugin(
  'rule 195: the opener starts after the owner, the owner continues after the opener released the array',
  async () => {
    const stream = new Stream({ device });
    using array = empty(1000, { dtype: 'int32', stream });
    array.fill(1, { stream });
    stream.synchronize();
    array.fill(2, { stream });
    using lease = await share(array);
    const [seen, alike] = await peer.run<[number, boolean]>(
      `const stream = new lib.Stream(on);
     const a = await lib.openShared(argument, { stream });
     const values = a.toTypedArray({ stream });
     a.fill(3, { stream });
     a.dispose();
     return [values[999], values.every(value => value === values[0])];`,
      lease.token
    );
    expect([seen, alike]).toEqual([2, true]);
    await until(() => lease.openers === 0);
    expect(array.item(999)).toBe(3);
  }
);

skipUnderPlugin(
  'unordered work has not run: an owner that reads while the opener writes reads the old bytes',
  async () => {
    const stream = new Stream({ device });
    using array = empty(4, { dtype: 'int32', stream });
    array.fill(1, { stream });
    using lease = await share(array);
    await peer.run(
      `const stream = new lib.Stream(on);
     kept.a = await lib.openShared(argument, { stream });
     kept.a.fill(3, { stream });`,
      lease.token
    );
    expect(array.item(0)).toBe(1);
    await peer.run('kept.a.dispose(); delete kept.a');
    await until(() => lease.openers === 0);
    expect(array.item(0)).toBe(3);
  }
);
