import { afterAll, beforeEach } from 'vitest';
import { holdNoon, releaseNoon } from './clock';

holdNoon();
beforeEach(holdNoon);
afterAll(releaseNoon);
