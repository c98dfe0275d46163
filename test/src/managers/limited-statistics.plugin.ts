/** Two stacked adaptors, for the environment variable. */

import { DefaultCUDAMemoryManager, LimitingAdaptor, StatisticsAdaptor } from '../../../src/memory/index.ts';

export default StatisticsAdaptor.over(LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: 2 ** 33 }));
