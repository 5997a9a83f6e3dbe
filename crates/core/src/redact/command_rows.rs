//! The commands whose arguments are secret, each with the option or the place that says so.
//!
//! Commands that take a secret alike share a row. How a row is read is for `command` to say.

/// How an option takes what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// `-pSECRET`
    Glued,
    /// `-p SECRET`
    Next,
    /// `-u user:SECRET`
    Pair,
    /// `-U user%SECRET`
    Percent,
    /// `user/SECRET@host`, an argument that no option stands before.
    Slash,
    /// `name=SECRET`, behind no option or behind one of these.
    Named,
    /// `set NAME SECRET`: the last of two words behind the verb.
    Last,
    /// The same, where prose could stand as well: it holds a digit or a sign.
    LastTyped,
    /// `directive 1 md5 SECRET`, or the same behind one of these words: the first that is neither a
    /// number nor says how the secret is written.
    Keyed,
    /// `directive SECRET`, and nothing more on the line.
    Only,
    /// `-u user,SECRET`
    Comma,
}

/// Commands that take a secret in the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Command {
    /// How the names of the commands begin.
    pub(super) names: &'static [&'static str],
    /// Words of which one must stand in the line, if any.
    pub(super) verbs: &'static [&'static str],
    /// The options that a secret follows; without any, its place among the arguments tells.
    pub(super) options: &'static [&'static str],
    /// How the options take it.
    pub(super) takes: Takes,
}

const fn command(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    options: &'static [&'static str],
    takes: Takes,
) -> Command {
    Command {
        names,
        verbs,
        options,
        takes,
    }
}

/// How many names there are in all rows.
const NAMES: usize = {
    let (mut names, mut row) = (0, 0);
    while row < COMMANDS.len() {
        names += COMMANDS[row].names.len();
        row += 1;
    }
    names
};

/// Every name with its row.
pub(super) static NAMED: [(&str, &Command); NAMES] = {
    let mut named = [("", &COMMANDS[0]); NAMES];
    let (mut index, mut row) = (0, 0);
    while row < COMMANDS.len() {
        let mut name = 0;
        while name < COMMANDS[row].names.len() {
            named[index] = (COMMANDS[row].names[name], &COMMANDS[row]);
            (index, name) = (index + 1, name + 1);
        }
        row += 1;
    }
    named
};

/// All commands.
#[rustfmt::skip]
const COMMANDS: &[Command] = &[
    command(&["curl"], &[], &["-u", "--user", "-U", "--proxy-user"], Takes::Pair),
    command(&["xh ", "http ", "https "], &[], &["-a", "--auth"], Takes::Pair),
    command(&["mysql", "mariadb", "sshpass", "7z ", "7za ", "7zr ", "unrar"], &[], &["-p"], Takes::Glued),
    command(&[
        "sshpass", "oc login", "az login", "mongo", "twine", "cqlsh", "evil-winrm", "netexec",
        "crackmapexec", "hydra", "cf login", "useradd", "usermod", "mongoimport", "psexec", "rdesktop",
        "certutil", "steghide", "mcrcon"
    ], &[], &["-p"], Takes::Next),
    command(&["redis-cli"], &[], &["-a", "--pass"], Takes::Next),
    command(&["docker", "podman", "helm", "skopeo", "buildah"], &["login"], &["-p"], Takes::Next),
    command(&[
        "sqlcmd", "unzip", "zip ", "mosquitto_", "ipmitool", "isql", "bcp ", "tsql ", "sqsh"
    ], &[], &["-P"], Takes::Next),
    command(&["sqlcmd"], &[], &["-P"], Takes::Glued),
    command(&["ldap"], &[], &["-w"], Takes::Next),
    command(&["smbclient", "winexe", "rpcclient", "smbget", "net rpc", "net ads"], &[], &["-U"], Takes::Percent),
    command(&["rsync", "clickhouse"], &[], &["--password"], Takes::Next),
    command(&["gh secret"], &["set"], &["-b", "--body"], Takes::Next),
    command(&["az keyvault"], &["secret"], &["--value"], Takes::Next),
    command(&["aws ssm"], &["put-parameter"], &["--value"], Takes::Next),
    command(&["aws secretsmanager"], &[], &["--secret-string"], Takes::Next),
    command(&["aws iam"], &[], &["--password", "--new-password"], Takes::Next),
    command(&["keytool"], &[], &["-storepass", "-keypass", "-new"], Takes::Next),
    command(&["jarsigner"], &[], &["-storepass", "-keypass"], Takes::Next),
    command(&["vault kv"], &["put", "patch"], &[], Takes::Named),
    command(&["vault write", "heroku config"], &[], &[], Takes::Named),
    command(&["kubectl", "oc create"], &["secret"], &["--from-literal"], Takes::Named),
    command(&["fly secrets", "flyctl secrets", "doppler secrets"], &["set"], &[], Takes::Named),
    command(&["htpasswd"], &["-b", "-bc", "-cb", "-nb", "-bn", "-bB", "-Bb", "-nbB", "-bcB", "-cbB"], &[], Takes::Last),
    command(&["rabbitmqctl"], &["add_user", "change_password", "authenticate_user"], &[], Takes::Last),
    command(&["wpa_passphrase", "bw login"], &[], &[], Takes::Last),
    command(&["sqlplus", "rman ", "expdp", "impdp", "sqlldr"], &[], &[], Takes::Slash),
    command(&["openssl"], &[], &["-k", "-K"], Takes::Next),
    command(&["plink", "pscp"], &[], &["-pw"], Takes::Next),
    command(&["ldappasswd"], &[], &["-s", "-a"], Takes::Next),
    command(&["gpg"], &[], &["--passphrase"], Takes::Next),
    command(&["ngrok"], &["authtoken", "add-authtoken"], &[], Takes::Last),
    command(&["snmp"], &[], &["-A", "-X", "-c"], Takes::Next),
    command(&["rar "], &[], &["-hp", "-p"], Takes::Glued),
    command(&["wget"], &[], &["--http-password", "--ftp-password"], Takes::Next),
    command(&["etcdctl"], &[], &["--user"], Takes::Pair),
    command(&["ssh-keygen"], &[], &["-N", "-P"], Takes::Next),
    command(&["xfreerdp"], &[], &["/p:"], Takes::Glued),
    command(&["cmdkey"], &[], &["/pass:"], Takes::Glued),
    command(&["winrm", "winrs"], &[], &["-p:"], Takes::Glued),
    command(&["/radius", "/ip ipsec", "/ppp"], &[], &["secret="], Takes::Glued),
    command(&["netsh wlan"], &[], &["key=", "keyMaterial="], Takes::Glued),
    command(&["wpa_cli"], &[], &["psk", "password", "passphrase"], Takes::Next),
    command(&["schtasks"], &[], &["/rp"], Takes::Next),
    command(&["signtool"], &[], &["/p"], Takes::Next),
    command(&["security "], &["add-generic-password", "add-internet-password"], &["-w"], Takes::Next),
    command(&["security "], &["unlock-keychain", "create-keychain"], &["-p"], Takes::Next),
    command(&["pdftk"], &[], &["input_pw", "owner_pw", "user_pw"], Takes::Next),
    command(&["nmcli"], &[], &["password", "psk", "wifi-sec.psk", "802-11-wireless-security.psk"], Takes::Next),
    command(&["lftp"], &[], &["-u"], Takes::Comma),
    command(&["redis-cli"], &[], &["AUTH"], Takes::Next),
    command(&["mysqladmin"], &[], &["password"], Takes::Next),
    command(&["rclone"], &["obscure"], &["obscure"], Takes::Next),
    command(&["mc alias"], &["set"], &[], Takes::Last),
    command(&["mc config"], &["host"], &[], Takes::Last),
    command(&[
        "bw unlock", "zmprov", "poetry config", "openssl passwd", "mkpasswd",
        "vault login", "net use", "enable secret", "enable password"
    ], &[], &[], Takes::LastTyped),
    command(&["networksetup"], &["-setairportnetwork"], &[], Takes::Last),
    command(&["dscl"], &["-passwd"], &[], Takes::Last),
    command(&["ejabberdctl"], &["register", "change_password"], &[], Takes::Last),
    command(&["samba-tool"], &["user"], &[], Takes::LastTyped),
    command(&["netlify"], &["env:set"], &[], Takes::Last),
    command(&["pulumi config"], &["--secret"], &[], Takes::Last),
    command(&["grafana-cli"], &["reset-admin-password"], &[], Takes::LastTyped),
    command(&["mosquitto_passwd"], &["-b", "-bc"], &[], Takes::Last),
    command(&["ansible-vault"], &[], &["encrypt_string"], Takes::Next),
    command(&["local-user"], &[], &["password"], Takes::Keyed),
    command(&["slappasswd"], &[], &["-s"], Takes::Next),
    command(&["doveadm"], &["pw"], &["-p"], Takes::Next),
    command(&["swaks"], &[], &["-ap"], Takes::Next),
    command(&["db2 connect"], &[], &["using"], Takes::Next),
    command(&["kadmin"], &[], &["-w", "-pw"], Takes::Next),
    command(&["x11vnc"], &[], &["-passwd"], Takes::Next),
    command(&["etcdctl"], &["user"], &["add"], Takes::Pair),
    command(&["zkcli"], &["addauth"], &["digest"], Takes::Pair),
    command(&["requirepass", "masterauth"], &[], &[], Takes::Only),
    command(&["username"], &["secret", "password"], &[], Takes::LastTyped),
    command(&["neighbor"], &["password"], &[], Takes::LastTyped),
    command(&["snmp-server", "snmp-agent"], &[], &["community", "auth", "priv"], Takes::Keyed),
    command(&[
        "snmp community", "isakmp key", "authentication-key", "message-digest-key", "pre-shared-key",
        "password 0", "password 5", "password 7", "secret 0", "secret 5", "secret 8", "secret 9", "key 7", "key-string", "server-key", "psksecret", "wpa-psk",
        "auth-pwd", "priv-pwd", "chap password", "pap password"
    ], &[], &[], Takes::Keyed),
    command(&["tacacs-server", "radius-server", "aaa-server"], &[], &["key", "secret"], Takes::Keyed),
];
