import { type Format, useFormat } from '@/lib/format/format';

interface ReadingTextProps {
  /** Undefined: it has none. */
  of: Parameters<Format['pieces']>[0];
  /** What stands beside it as its name, which may say the unit. */
  beside?: string;
  /** The class of its unit, which stands in another size. */
  unit: string | undefined;
}

/** A reading with its unit where the language has it: 91.5% and %91,5. */
export function ReadingText({ of, beside, unit }: ReadingTextProps) {
  const format = useFormat();
  return format.pieces(of, beside).map(({ kind, text }) =>
    kind === 'unit' ? (
      <span key={kind} className={unit}>
        {text}
      </span>
    ) : (
      text
    ),
  );
}
