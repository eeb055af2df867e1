import * as React from 'react';

/**
 * React records where each element was created, up to ten thousand a second, for its warnings: a
 * tenth of a test's time. This turns it off; warnings still name the components.
 */
const internals = Object.entries(React).find(([name]) => name.startsWith('__CLIENT_INTERNALS'))?.[1] as
  | { recentlyCreatedOwnerStacks?: number }
  | undefined;
if (internals?.recentlyCreatedOwnerStacks === undefined)
  throw new Error('React records owner stacks elsewhere now: update this file');
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', {
  get: () => Number.POSITIVE_INFINITY,
  set: () => undefined,
});
