"""The part of the journey of python3-ldap that goes by controls. python_ldap.py runs it in its course."""

import ldap
import ldap.syncrepl
from ldap.controls import RequestControlTuples, SimplePagedResultsControl
from ldap.controls.deref import DereferenceControl
from ldap.controls.libldap import AssertionControl, MatchedValuesControl
from ldap.controls.psearch import EntryChangeNotificationControl, PersistentSearchControl
from ldap.controls.readentry import PostReadControl, PreReadControl
from ldap.controls.sessiontrack import SESSION_TRACKING_FORMAT_OID_USERNAME, SessionTrackingControl
from ldap.controls.simple import ManageDSAITControl, ProxyAuthzControl
from ldap.controls.sss import SSSRequestControl
from ldap.controls.vlv import VLVRequestControl

from lab import ADMIN, ADMIN_PASSWORD, PERSON, PERSON_PASSWORD, ROW, SUFFIX, holds, same, step
from python_ldap_base import PLAIN, SPACE, admin, asked, connect, found, person, refused

SORT = "1.2.840.113556.1.4.473"
BY_SN = "sn:2.5.13.3"


@step("abandon and cancel", needs="1.3.6.1.1.8")
def _():
    held = connect()
    held.abandon(held.search(ROW, ldap.SCOPE_SUBTREE))
    try:
        held.cancel_s(held.search("ou=people," + SUFFIX, ldap.SCOPE_SUBTREE))
    except (ldap.TOO_LATE, ldap.NO_SUCH_OPERATION):
        pass
    same(held.whoami_s(), "dn:" + ADMIN, "who am I")


@step("paged results", needs="1.2.840.113556.1.4.319")
def _():
    sizes, seen = [], []
    control = SimplePagedResultsControl(True, size=10, cookie="")
    while True:
        entries, answers = asked(ROW, "(uid=lab*)", ["uid"], control)
        sizes.append(len(entries))
        seen += [dn for dn, _ in entries]
        control.cookie = answers[control.controlType].cookie
        if not control.cookie:
            break
    same((sizes, len(set(seen))), ([10, 10, 5], 25), "the pages")


@step("server-side sorting", needs=SORT)
def _():
    entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]))
    same([values["sn"][0].decode() for _, values in entries], ["Reihe %02d" % number for number in range(1, 26)], "sorted")
    same(answers["1.2.840.113556.1.4.474"].sortResult, 0, "the sort result")
    entries, _ = asked(ROW, "(uid=lab*)", ["uidNumber"], SSSRequestControl(True, ["-uidNumber"]))
    same(entries[0][1]["uidNumber"], [b"60025"], "the largest number first")


@step("paging and sorting at once", needs=SORT)
def _():
    page = SimplePagedResultsControl(True, size=10, cookie="")
    names = []
    while True:
        entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]), page)
        names += [values["sn"][0].decode() for _, values in entries]
        page.cookie = answers[page.controlType].cookie
        if not page.cookie:
            break
    same(names, ["Reihe %02d" % number for number in range(1, 26)], "sorted over pages")


@step("virtual list view", needs="2.16.840.1.113730.3.4.9")
def _():
    view = VLVRequestControl(True, before_count=1, after_count=2, offset=10, content_count=0)
    entries, answers = asked(ROW, "(uid=lab*)", ["sn"], SSSRequestControl(True, [BY_SN]), view)
    same([values["sn"][0] for _, values in entries], [b"Reihe 09", b"Reihe 10", b"Reihe 11", b"Reihe 12"], "the view")
    answer = answers["2.16.840.1.113730.3.4.10"]
    same((answer.targetPosition, answer.contentCount, answer.virtualListViewResult), (10, 25, 0), "its place")


@step("assertion", needs="1.3.6.1.1.12")
def _():
    dn = person("uid=asserted," + SPACE)
    say = lambda text: admin.modify_ext_s(dn, [(ldap.MOD_REPLACE, "title", b"x")], serverctrls=[AssertionControl(True, text)])
    refused(ldap.ASSERTION_FAILED, lambda: say("(cn=nobody)"))
    say("(cn=somebody)")


@step("pre-read and post-read", needs="1.3.6.1.1.13.1")
def _():
    dn = person("uid=readback," + SPACE, title=b"old")
    controls = [PreReadControl(True, ["title"]), PostReadControl(True, ["title", "entryUUID"])]
    number = admin.modify_ext(dn, [(ldap.MOD_REPLACE, "title", b"new")], serverctrls=controls)
    answers = {control.controlType: control for control in admin.result3(number)[3]}
    same(answers[controls[0].controlType].entry["title"], [b"old"], "pre-read")
    same(answers[controls[1].controlType].entry["title"], [b"new"], "post-read")
    holds("entryUUID" in answers[controls[1].controlType].entry, "operational attributes in the post-read")


@step("matched values", needs="1.2.826.0.1.3344810.2.3")
def _():
    dn = person("uid=many," + SPACE)
    admin.modify_s(dn, [(ldap.MOD_ADD, "mail", [b"a@one.example", b"b@two.example"])])
    entries, _ = asked(dn, "(objectClass=*)", ["mail", "cn"], MatchedValuesControl(True, "((mail=*@two.example))"))
    same(entries[0][1].get("mail"), [b"b@two.example"], "the value that matched")


@step("dereference", needs="1.3.6.1.4.1.4203.666.5.16")
def _():
    group = "cn=derefs," + SPACE
    admin.add_s(group, [("objectClass", b"groupOfNames"), ("cn", b"derefs"), ("member", PERSON.encode())])
    number = admin.search_ext(group, ldap.SCOPE_BASE, serverctrls=[DereferenceControl(True, {"member": ["uid", "mail"]})])
    _, entries, _, _, _, _ = admin.result4(number, add_ctrls=1)
    (control,) = entries[0][2]
    (member,) = control.derefRes["member"]
    same(member, (PERSON, {"uid": ["jmueller"], "mail": ["juergen.mueller@example.com"]}), "what it refers to")


@step("ManageDsaIT, session tracking", needs="2.16.840.1.113730.3.4.2")
def _():
    tracking = SessionTrackingControl("192.0.2.7", "lab", SESSION_TRACKING_FORMAT_OID_USERNAME, "somebody")
    entries, _ = asked(ROW, "(uid=lab0*)", ["1.1"], ManageDSAITControl(), tracking)
    same(len(entries), 9, "entries")


@step("proxied authorization", needs="2.16.840.1.113730.3.4.18")
def _():
    acting = lambda name: RequestControlTuples([ProxyAuthzControl(True, ("dn:" + name).encode())])
    same(admin.whoami_s(acting(PERSON)), "dn:" + PERSON, "who am I")
    refused(ldap.PROXIED_AUTHORIZATION_DENIED, lambda: connect(PERSON, PERSON_PASSWORD).whoami_s(acting(ADMIN)))


@step("persistent search", needs="2.16.840.1.113730.3.4.3")
def _():
    watching = connect()
    control = PersistentSearchControl(changeTypes=["add", "delete", "modify", "modDN"], changesOnly=True, returnECs=True)
    number = watching.search_ext(SPACE, ldap.SCOPE_SUBTREE, serverctrls=[control])
    # A request behind it on the same connection is answered when the watch stands.
    watching.whoami_s()
    person("uid=watched," + SPACE)
    known = {EntryChangeNotificationControl.controlType: EntryChangeNotificationControl}
    _, entries, _, _, _, _ = watching.result4(number, all=0, timeout=20, add_ctrls=1, resp_ctrl_classes=known)
    dn, _, controls = entries[0]
    same((dn, controls[0].changeType), ("uid=watched," + SPACE, 1), "what was seen")
    watching.abandon(number)


class Consumer(ldap.ldapobject.SimpleLDAPObject, ldap.syncrepl.SyncreplConsumer):
    """Keeps what content synchronisation brings, in memory."""

    def __init__(self, url):
        super().__init__(url)
        self.held, self.cookie, self.phase = {}, None, set()

    def syncrepl_get_cookie(self):
        return self.cookie

    def syncrepl_set_cookie(self, cookie):
        self.cookie = cookie

    def syncrepl_entry(self, dn, attrs, uuid):
        self.held[uuid] = dn

    def syncrepl_delete(self, uuids):
        for uuid in uuids:
            self.held.pop(uuid, None)

    def syncrepl_present(self, uuids, refreshDeletes=False):
        if uuids is not None:
            self.phase.update(uuids)
            return
        if not refreshDeletes:
            self.held = {uuid: dn for uuid, dn in self.held.items() if uuid in self.phase}
        self.phase = set()

    def refresh(self):
        number = self.syncrepl_search(SPACE, ldap.SCOPE_SUBTREE, cookie=self.cookie, attrlist=["*"], filterstr="(objectClass=*)")
        while self.syncrepl_poll(msgid=number, timeout=20, all=0):
            pass
        return sorted(self.held.values())


@step("content synchronisation: refreshed, and again with the cookie", needs="1.3.6.1.4.1.4203.1.9.1.1")
def _():
    consumer = Consumer(PLAIN)
    consumer.simple_bind_s(ADMIN, ADMIN_PASSWORD)
    same(consumer.refresh(), sorted(found("(objectClass=*)", SPACE)), "the first content")
    person("uid=synced," + SPACE)
    admin.delete_s("uid=large," + SPACE)
    admin.rename_s("uid=ben," + SPACE, "uid=benjamin")
    same(consumer.refresh(), sorted(found("(objectClass=*)", SPACE)), "the content after changes")
