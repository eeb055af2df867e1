import ApiOutlined from '@ant-design/icons/ApiOutlined';
import MailOutlined from '@ant-design/icons/MailOutlined';
import MobileOutlined from '@ant-design/icons/MobileOutlined';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Mode, modes, waysQuery } from '@/lib/channel/queries';
import { reachOf } from '@/lib/channel/reach';
import { Chip } from '../Chip';
import css from './modes.module.css';

/** The icon of each way, wherever it is chosen or told. */
export const modeIcons = { email: MailOutlined, phoneMessage: MobileOutlined, webhook: ApiOutlined } as const;

/** The ways of channels, and that to programs. */
export type AnyMode = keyof typeof modeIcons;
const anyModes: readonly AnyMode[] = [...modes, 'webhook'];

/** The ways that a channel uses: icon and word, and what the server lacks to tell anybody so. */
export function ModeChips({ of }: { of: readonly Mode[] }) {
  const { t } = useTranslation();
  const ways = useQuery(waysQuery()).data;
  return (
    <span className={css.chips}>
      {modes
        .filter((mode) => of.includes(mode))
        .map((mode) => {
          const Icon = modeIcons[mode];
          const name = t(`channel.modes.${mode}`);
          const reach = ways ? reachOf(mode, ways) : 'out';
          return (
            <Chip key={mode} tone={reach === 'out' ? 'tag' : 'off'} icon={<Icon />}>
              {reach === 'out'
                ? name
                : t(reach === 'logged' ? 'channel.way.logged' : 'channel.way.off', { mode: name })}
            </Chip>
          );
        })}
    </span>
  );
}

/** The same where there is room for the icons only; a screen reader hears the words. */
export function ModeIcons({ of }: { of: readonly AnyMode[] }) {
  const { t } = useTranslation();
  return (
    <span className={css.icons}>
      {anyModes
        .filter((mode) => of.includes(mode))
        .map((mode) => {
          const Icon = modeIcons[mode];
          return (
            <span key={mode} title={t(`channel.modes.${mode}`)}>
              <Icon aria-hidden="true" />
              <span className="visually-hidden">{t(`channel.modes.${mode}`)}</span>
            </span>
          );
        })}
    </span>
  );
}
