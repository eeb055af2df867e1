import CloseOutlined from '@ant-design/icons/CloseOutlined';
import LogoutOutlined from '@ant-design/icons/LogoutOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button, Drawer, Switch } from 'antd';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { showError } from '@/lib/http/errorText';
import { consoleSettingsQuery, userQuery } from '@/lib/http/queries';
import { signOut } from '@/lib/session/session';
import { usePreferences, useTheme } from '@/lib/storage/preferences';
import { Avatar } from '@/ui/Avatar';
import { IconButton } from '@/ui/IconButton';
import { LanguageSelect } from '@/ui/LanguageSelect';
import css from './SettingsPanel.module.css';
import { SidebarColors, SidebarTypes } from './SidebarChoices';

interface SettingsPanelProps {
  open: boolean;
  onClose: () => void;
}

/** Every change applies at once and stays in this browser; there is nothing to save. */
export function SettingsPanel({ open, onClose }: SettingsPanelProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const { fixedNavbar, followSystem, saveData, set } = usePreferences();
  const theme = useTheme();
  return (
    <Drawer
      open={open}
      onClose={onClose}
      size={isPhone ? '100vw' : 360}
      closable={false}
      mask={{ closable: true, enabled: true, blur: false }}
      aria-label={t('settings.title')}
      classNames={{ body: css.body, footer: css.footer, mask: css.mask, wrapper: css.wrapper }}
      footer={<UserRow />}
    >
      <div className={css.head}>
        <h2>{t('settings.title')}</h2>
        <IconButton label={t('common.close')} icon={<CloseOutlined />} onClick={onClose} />
      </div>
      <div className={css.content}>
        <SidebarColors />
        <SidebarTypes />
        <Row name={t('settings.fixedNavbar')} hint={t('settings.fixedNavbarHint')}>
          {(labels) => (
            <Switch checked={fixedNavbar} onChange={(checked) => set({ fixedNavbar: checked })} {...labels} />
          )}
        </Row>
        <Row name={t('settings.darkMode')} hint={t('settings.darkModeHint')}>
          {(labels) => (
            // Who chooses one of the two does not follow the system any more.
            <Switch
              checked={theme === 'dark'}
              onChange={(checked) => set({ darkMode: checked, followSystem: false })}
              {...labels}
            />
          )}
        </Row>
        <Row name={t('settings.followSystem')} hint={t('settings.followSystemHint')}>
          {(labels) => (
            <Switch
              checked={followSystem}
              onChange={(checked) => set({ followSystem: checked, darkMode: theme === 'dark' })}
              {...labels}
            />
          )}
        </Row>
        <Row name={t('saver.title')} hint={t('saver.hint')}>
          {(labels) => <Switch checked={saveData} onChange={(checked) => set({ saveData: checked })} {...labels} />}
        </Row>
        <Row name={t('shell.language')} hint={t('settings.languageHint')}>
          {() => <LanguageSelect framed className={css.language} />}
        </Row>
      </div>
    </Drawer>
  );
}

interface RowProps {
  name: string;
  hint: string;
  children: (labels: { 'aria-labelledby': string; 'aria-describedby': string }) => ReactNode;
}

function Row({ name, hint, children }: RowProps) {
  const id = useId();
  return (
    <div className={css.row}>
      <div className={css.words}>
        <div className={css.name} id={`${id}-name`}>
          {name}
        </div>
        <div className={css.hint} id={`${id}-hint`}>
          {hint}
        </div>
      </div>
      {children({ 'aria-labelledby': `${id}-name`, 'aria-describedby': `${id}-hint` })}
    </div>
  );
}

function UserRow() {
  const { t } = useTranslation();
  const user = useQuery(userQuery()).data;
  const version = useQuery(consoleSettingsQuery()).data?.version;
  const [leaving, setLeaving] = useState(false);
  const name = user ? user.nickname || user.userName : '';

  const quit = async () => {
    setLeaving(true);
    // The route guard leads to the sign-in page as soon as the session is gone.
    await signOut().catch((error: unknown) => showError(error));
  };

  return (
    <>
      <div className={css.person}>
        {user ? (
          <>
            <Avatar name={name} picture={user.avatar} />
            <div className={css.words}>
              <div className={css.name} title={name}>
                {name}
              </div>
              <div className={css.hint} title={user.tenantName}>
                {user.tenantName}
              </div>
            </div>
          </>
        ) : null}
        {version ? <span className={css.version}>{t('settings.version', { version })}</span> : null}
      </div>
      <Button
        danger
        block
        className={css.quit}
        icon={<LogoutOutlined aria-hidden="true" />}
        loading={leaving}
        onClick={quit}
      >
        {t('settings.quit')}
      </Button>
    </>
  );
}
