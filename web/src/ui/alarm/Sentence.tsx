import type { SentencePart } from '@/lib/alarm/sentence';
import css from './Sentence.module.css';

/**
 * Renders the parts from lib/alarm/sentence: names, values and counts in bold. Inline, for any
 * paragraph around it.
 */
export function Sentence({ parts }: { parts: readonly SentencePart[] }) {
  return parts.map(({ text, strong }, i) =>
    strong ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence have no identity but their position
      <b key={i} className={css.strong}>
        {text}
      </b>
    ) : (
      text
    ),
  );
}
