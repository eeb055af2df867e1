import { dashes } from './attributes';

interface StrokeProps {
  /** The palette's index, 0 to 7; undefined if the attribute is not drawn. */
  color: number | undefined;
  /** Drawn as bars: a stroke without dashes. */
  bar?: boolean;
}

/** The line of an attribute, as the chart draws it. */
export function Stroke({ color, bar = false }: StrokeProps) {
  const dash = color === undefined || bar ? undefined : dashes[color];
  return (
    <svg width="20" height="4" viewBox="0 0 20 4" aria-hidden="true" style={{ flex: 'none' }}>
      <path
        d="M1 2h18"
        stroke={color === undefined ? 'var(--line2)' : `var(--c${color + 1})`}
        strokeWidth="3"
        strokeLinecap={dash ? 'butt' : 'round'}
        strokeDasharray={dash?.join(' ')}
      />
    </svg>
  );
}
