import * as React from 'react';

/**
 * React keeps where each element was made, up to ten thousand a second, to tell it with a warning: a tenth of the time of a test.
 * Here none is kept; warnings name the components all the same.
 */
const internals = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS'))?.[1] as
  | { recentlyCreatedOwnerStacks?: number }
  | undefined;
if (internals?.recentlyCreatedOwnerStacks === undefined)
  throw new Error('React counts elsewhere where elements were made: look again at what this file knows of it');
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  get: () => Number.POSITIVE_INFINITY,
  set: () => undefined,
});
