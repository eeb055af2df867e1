import { useId } from 'react';

interface LogoProps {
  height: number;
  /** The tile alone, without the letters. */
  markOnly?: boolean;
  className?: string;
}

/** The wordmark in the text's colour: a clod seen from the side with a probe in it. */
export function Logo({ height, markOnly = false, className }: LogoProps) {
  const mask = useId();
  return (
    <svg
      viewBox={markOnly ? '0 0 32 32' : '0 0 102 32'}
      height={height}
      width={markOnly ? height : (height * 102) / 32}
      role="img"
      aria-label="Tilth"
      className={className}
    >
      <mask id={mask}>
        <rect width="32" height="32" rx="8" fill="#fff" />
        <g fill="none" stroke="#000" strokeLinecap="round" strokeLinejoin="round">
          <path strokeWidth="3.6" d="M14.2 5.6v13.2c0 4.4 2.4 6.6 6.2 6.6 1.7 0 3-.3 4.2-.9" />
          <path strokeWidth="3.2" strokeLinecap="butt" d="M-1 14.6C4 10.6 9 11 14.2 12.4S26 14.6 33 10.2" />
        </g>
      </mask>
      <rect width="32" height="32" rx="8" fill="currentColor" mask={`url(#${mask})`} />
      {markOnly ? null : (
        <>
          <g fill="none" stroke="currentColor" strokeWidth="3.3" strokeLinecap="round" strokeLinejoin="round">
            <path d="M47 7.2v13.6c0 2.9 1.5 4.3 4 4.3.9 0 1.7-.1 2.4-.4M42.8 12.2h9.8" />
            <path d="M59.4 12.2v12.9" />
            <path d="M66.6 5.4v19.7" />
            <path d="M75.4 7.2v13.6c0 2.9 1.5 4.3 4 4.3.9 0 1.7-.1 2.4-.4M71.2 12.2h9.8" />
            <path d="M88 5.4v19.7M88 18.2c0-3.8 2.3-6.2 5.5-6.2 3.3 0 5.3 2.1 5.3 5.9v7.2" />
          </g>
          <circle cx="59.4" cy="6.6" r="2.1" fill="currentColor" />
        </>
      )}
    </svg>
  );
}
