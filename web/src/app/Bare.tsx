import { Link, Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTenantFace } from '@/lib/useTenantFace';
import { BrandLogo } from '@/ui/BrandLogo';
import { LanguageSelect } from '@/ui/LanguageSelect';
import css from './Bare.module.css';

/** A page without menu: brand and language above, the rest is the page's. */
export function Bare({ children = <Outlet /> }: { children?: ReactNode }) {
  useTenantFace();
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
