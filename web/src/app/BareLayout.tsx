import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { BrandLogo } from '@/ui/BrandLogo';
import { LanguageSelect } from '@/ui/LanguageSelect';
import css from './BareLayout.module.css';

/** A page without a menu: brand and language at the top, the page below. */
export function BareLayout({ children = <Outlet /> }: { children?: ReactNode }) {
  useTenantBranding();
  return (
    <div className={css.bare}>
      <header className={css.head}>
        <Link to="/" className={css.brand}>
          <BrandLogo height={26} />
        </Link>
        <LanguageSelect />
      </header>
      <main className={css.page}>{children}</main>
    </div>
  );
}
