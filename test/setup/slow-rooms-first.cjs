// Jest runs the files that took longest last time first. If no earlier run is known, the rooms whose files start browsers
// and kernels come first, so that they are not the last to finish.
const { default: TestSequencer } = require('@jest/test-sequencer');

const ROOMS = ['notebooks', 'python', 'kernel'];

/** Sort key: a higher number runs later. */
function rank({ duration, context }) {
  const room = ROOMS.indexOf(context.config.displayName?.name);
  return duration !== undefined || room < 0 ? ROOMS.length : room;
}

module.exports = class extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
