import { useState } from 'react';
import { useBranding } from '@/lib/tenant/tenant';
import { Logo } from './Logo';

interface BrandLogoProps {
  height: number;
  markOnly?: boolean;
  className?: string;
}

/** The tenant's own logo if it has one that can be loaded, else Tilth's. */
export function BrandLogo({ height, markOnly, className }: BrandLogoProps) {
  const { logo, title } = useBranding();
  const [failed, setFailed] = useState<string | null>(null);
  if (!logo || failed === logo) return <Logo height={height} markOnly={markOnly} className={className} />;
  return (
    <img
      src={logo}
      alt={title ?? 'Tilth'}
      height={height}
      style={{ maxWidth: markOnly ? height : height * 7, objectFit: 'contain', objectPosition: 'left center' }}
      className={className}
      referrerPolicy="no-referrer"
      onError={() => setFailed(logo)}
    />
  );
}
