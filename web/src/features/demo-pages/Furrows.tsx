import { type Ridge, ridgeLine, terrace } from './ridge';

const hill: Ridge = {
  from: 0,
  to: 400,
  level: 30,
  waves: [
    { height: 22, length: 330, phase: 0.1 },
    { height: 8, length: 140, phase: 0.6 },
  ],
};
const lines = Array.from({ length: 12 }, (_, index) => ridgeLine(terrace(hill, index * 19, 1 - index * 0.06)));

/** Contour lines as a background for texts, in the colour of the surrounding text. */
export function Furrows({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 400 240" preserveAspectRatio="xMidYMid slice" className={className} aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeWidth="1.2">
        {lines.map((line) => (
          <path key={line} d={line} />
        ))}
      </g>
    </svg>
  );
}
