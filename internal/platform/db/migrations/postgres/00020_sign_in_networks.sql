-- +goose Up

-- The networks from which each user has signed in, as 192.0.2.0/24 or 2001:db8:1::/48. Sign-ins from there
-- need not wait when others try passwords on the account.
CREATE TABLE sign_in_networks (
    tenant_id BIGINT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id   BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network   TEXT COLLATE "C" NOT NULL,
    last_time BIGINT NOT NULL, -- time of the newest sign-in, epoch ms
    PRIMARY KEY (user_id, network)
);
CREATE INDEX sign_in_networks_newest ON sign_in_networks (tenant_id, user_id, last_time, network);
CREATE INDEX sign_in_networks_last ON sign_in_networks (last_time);

-- When the owner of an account was last warned that others try passwords on it, epoch ms.
ALTER TABLE users ADD COLUMN guesses_told BIGINT NOT NULL DEFAULT 0;
