/**
 * The texts of a language come in three parts, each fetched when it is first needed: those of the
 * sign-in page, those that the frame and the home page add, and all others. Nobody waits for the
 * texts of pages that are not open.
 */
export type TextPart = 'signin' | 'home' | 'rest';

/**
 * The keys, or the beginnings of keys, of the first two parts. `parts.test.ts` names what their
 * pages use and this list lacks.
 */
const keysOfPart: Readonly<Record<Exclude<TextPart, 'rest'>, readonly string[]>> = {
  signin: [
    'captcha.unseenWait',
    'common.close',
    'common.home',
    'common.loading',
    'common.retry',
    'common.retryIn',
    'error',
    'format',
    'notFound',
    'offline.needs',
    'offline.none',
    'offline.pageText',
    'offline.pageTitle',
    'offline.signin',
    'offline.upToDate',
    'request',
    'shell.language',
    'signin',
  ],
  home: [
    'behind',
    'budget',
    'common',
    'data.card.history',
    'data.card.historyOf',
    'data.picker.none',
    'deploy',
    'derived.about',
    'home',
    'inform.ack',
    'inform.since',
    'inform.solve.button',
    'inform.solve.tooLong',
    'inform.unsent',
    'inform.unsteady',
    'message',
    'nav',
    'offline',
    'release',
    'resolve',
    'rule.term',
    'saver',
    'search.open',
    'settings.title',
    'shell',
    'storage',
  ],
};

/** What begins like a text of the first pages, but only few need there: it comes with its step. */
const lateKeys = ['signin.code'];

/** The part that a text belongs to. Plural forms (`home.alarms_one`) are in the part of their key. */
export function partOf(key: string): TextPart {
  const begins = (start: string) => key === start || key.startsWith(`${start}.`) || key.startsWith(`${start}_`);
  if (lateKeys.some(begins)) return 'rest';
  if (keysOfPart.signin.some(begins)) return 'signin';
  return keysOfPart.home.some(begins) ? 'home' : 'rest';
}

interface Texts {
  [key: string]: string | Texts;
}

/** The texts of a part, in the tree of the whole file. */
export function textsOfPart(texts: Texts, part: TextPart, prefix = ''): Texts {
  const kept: Texts = {};
  for (const [name, text] of Object.entries(texts)) {
    const key = prefix + name;
    if (typeof text === 'string') {
      if (partOf(key) === part) kept[name] = text;
      continue;
    }
    const below = textsOfPart(text, part, `${key}.`);
    if (Object.keys(below).length > 0) kept[name] = below;
  }
  return kept;
}
