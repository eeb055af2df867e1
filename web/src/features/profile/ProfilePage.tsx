import EllipsisOutlined from '@ant-design/icons/EllipsisOutlined';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/http/errorText';
import { userQuery } from '@/lib/http/queries';
import { useMay } from '@/lib/session/useMay';
import { ErrorNote } from '@/ui/ErrorNote';
import { lazyComponent } from '@/ui/lazyComponent';
import { PageTitle } from '@/ui/PageTitle';
import { Panes } from '@/ui/Panes';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { AppsTab } from './apps/AppsTab';
import { InfoTab } from './info/InfoTab';
import { ProfileCard } from './ProfileCard';
import css from './ProfilePage.module.css';
import { PasswordTab } from './password/PasswordTab';
import { PeopleTab } from './people/PeopleTab';
import { PhoneDialog } from './phone/PhoneDialog';
import type { ProfileTab } from './search';
import { WebhooksTab } from './webhooks/WebhooksTab';

const HomeAssistantTab = lazyComponent(() => import('./homeAssistant/HomeAssistantTab'), 'HomeAssistantTab');

/**
 * The user's profile: details, password, and for owners the people, API keys, webhooks and Home Assistant
 * of the tenant.
 */
export function ProfilePage() {
  const { t } = useTranslation();
  const { tab: wanted = 'info' } = useSearch({ from: '/signed-in/shell/profile' });
  const isOwner = useMay('owner');
  const tab: ProfileTab = isOwner || wanted === 'password' ? wanted : 'info';
  const navigate = useNavigate({ from: '/profile' });
  const [phoneOpen, setPhoneOpen] = useState(false);
  const { data: user, ...query } = useQuery(userQuery());
  const openPhone = () => setPhoneOpen(true);

  const choose = (key: string) => {
    void navigate({ search: key === 'info' ? {} : { tab: key as Exclude<ProfileTab, 'info'> }, replace: true });
  };

  return (
    <>
      <PageTitle title={t('nav.profile')} />
      {query.isError ? (
        <div className={css.error}>
          <ErrorNote
            title={t('profile.loadFail')}
            text={errorText(query.error)}
            onRetry={() => query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      {user ? (
        <>
          <Panes
            shape="card"
            first={<ProfileCard user={user} />}
            second={
              <section className={css.parts} aria-label={t('profile.tabs')}>
                <Tabs
                  activeKey={tab}
                  onChange={choose}
                  className={css.tabs}
                  destroyOnHidden
                  // Shown if the tabs do not all fit. By default antd labels it with its icon's English
                  // name.
                  more={{ icon: <EllipsisOutlined aria-label={t('profile.tabs')} /> }}
                  items={[
                    { key: 'info', label: t('profile.info'), children: <InfoTab user={user} onPhone={openPhone} /> },
                    {
                      key: 'password',
                      label: t('password.title'),
                      children: <PasswordTab user={user} onPhone={openPhone} />,
                    },
                    ...(isOwner
                      ? [
                          { key: 'people', label: t('people.title'), children: <PeopleTab /> },
                          { key: 'app', label: t('app.title'), children: <AppsTab /> },
                          { key: 'webhook', label: t('webhook.title'), children: <WebhooksTab /> },
                          { key: 'home-assistant', label: t('homeAssistant.title'), children: <HomeAssistantTab /> },
                        ]
                      : []),
                  ]}
                />
              </section>
            }
          />
          <PhoneDialog open={phoneOpen} bound={user.mobile} onClose={() => setPhoneOpen(false)} />
        </>
      ) : null}
      {query.isPending ? <Waiting /> : null}
    </>
  );
}

function Waiting() {
  return (
    <Loading>
      <Panes
        shape="card"
        first={<Skeleton height={290} radius={12} />}
        second={<Skeleton height={380} radius={12} />}
      />
    </Loading>
  );
}
