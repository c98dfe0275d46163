/** The recorder of exchanges itself: what it keeps, counts, shows and forgets. */

import { recordExchanges } from './exchange-records.ts';
import { recordExchanges } from './exchange-records.ts';

recordExchanges();
