import { type Format, useFormat } from '@/lib/format/format';

interface ReadingTextProps {
  /** Undefined: there is no reading. */
  of: Parameters<Format['pieces']>[0];
  /** The name shown beside it, which may contain the unit. */
  beside?: string;
  /** The class of the unit, which has another size. */
  unit: string | undefined;
}

/** A reading with its unit in the language's position: 91.5% and %91,5. */
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
