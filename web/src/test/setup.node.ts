import { afterAll, beforeEach } from 'vitest';
import { freezeClock, restoreClock } from './clock';

freezeClock();
beforeEach(freezeClock);
afterAll(restoreClock);
