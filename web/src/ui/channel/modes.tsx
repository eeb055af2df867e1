import ApiOutlined from '@ant-design/icons/ApiOutlined';
import MailOutlined from '@ant-design/icons/MailOutlined';
import MobileOutlined from '@ant-design/icons/MobileOutlined';
import { useTranslation } from 'react-i18next';
import { type Mode, modes } from '@/lib/channel/queries';
import { Chip } from '../Chip';
import css from './modes.module.css';

/** The icon of each way, wherever it is chosen or told. */
export const modeIcons = { email: MailOutlined, phoneMessage: MobileOutlined, webhook: ApiOutlined } as const;

/** The ways of channels, and that to programs. */
export type AnyMode = keyof typeof modeIcons;
const anyModes: readonly AnyMode[] = [...modes, 'webhook'];

/** The ways that a channel uses: icon and word. */
export function ModeChips({ of }: { of: readonly Mode[] }) {
  const { t } = useTranslation();
  return (
    <span className={css.chips}>
      {modes
        .filter((mode) => of.includes(mode))
        .map((mode) => {
          const Icon = modeIcons[mode];
          return (
            <Chip key={mode} tone="tag" icon={<Icon />}>
              {t(`channel.modes.${mode}`)}
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
