import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { deliveryReachOf } from '@/lib/channel/deliveryReach';
import { type AnyChannelKind, type ChannelKind, channelKinds, kindIcon } from '@/lib/channel/kinds';
import { availableKindsQuery } from '@/lib/channel/queries';
import { Chip } from '../Chip';
import css from './channelKinds.module.css';

const allChannelKinds: readonly AnyChannelKind[] = [...channelKinds, 'webhook'];

/** The kinds that a channel uses: icon and word, and what the server lacks to deliver that way. */
export function ChannelKindChips({ of }: { of: readonly ChannelKind[] }) {
  const { t } = useTranslation();
  const ways = useQuery(availableKindsQuery()).data;
  return (
    <span className={css.chips}>
      {channelKinds
        .filter((mode) => of.includes(mode))
        .map((mode) => {
          const Icon = kindIcon(mode);
          const name = t(`channel.modes.${mode}`);
          const reach = ways ? deliveryReachOf(mode, ways) : 'out';
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

/** The same for little room: icons only; a screen reader hears the words. */
export function ChannelKindIcons({ of }: { of: readonly string[] }) {
  const { t } = useTranslation();
  return (
    <span className={css.icons}>
      {allChannelKinds
        .filter((mode) => of.includes(mode))
        .map((mode) => {
          const Icon = kindIcon(mode);
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
