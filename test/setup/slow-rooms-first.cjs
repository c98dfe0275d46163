// Jest puts the files that took longest last time first. Where no earlier run is known, the rooms whose files start browsers
// and kernels come first, so that none of those is the last to end.
const { default: TestSequencer } = require('@jest/test-sequencer');

const ROOMS = ['notebooks', 'python', 'kernel'];

/** How late a file begins. */
function rank({ duration, context }) {
  const room = ROOMS.indexOf(context.config.displayName?.name);
  return duration !== undefined || room < 0 ? ROOMS.length : room;
}

module.exports = class extends TestSequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
