//! Places as people name them: a project by its folder, with those that it is in where another has the same name.

use std::collections::BTreeSet;

use hardwon_core::{AgentId, ProjectId, Scope};

use super::text::VisibleText;

/// What tells the places that are seen apart.
#[derive(Debug, Default)]
pub(super) struct PlaceNames {
    projects: Vec<ProjectId>,
    agents: BTreeSet<AgentId>,
}

/// Whose lesson or recall it is, and where; the agent is empty where there is only one.
pub(super) struct PlaceLabel {
    pub(super) agent: VisibleText,
    pub(super) project: VisibleText,
    /// The project's whole name.
    pub(super) whole: VisibleText,
}

impl PlaceNames {
    pub(super) fn new(scopes: &[Scope]) -> Self {
        let projects = scopes.iter().filter_map(|scope| scope.project.clone());
        let mut projects: Vec<ProjectId> = projects.collect();
        projects.sort_unstable();
        projects.dedup();
        Self {
            projects,
            agents: scopes.iter().map(|scope| scope.agent.clone()).collect(),
        }
    }

    /// Returns the agents whose places are seen.
    pub(super) fn agents(&self) -> &BTreeSet<AgentId> {
        &self.agents
    }

    /// Returns the projects that are seen.
    pub(super) fn projects(&self) -> &[ProjectId] {
        &self.projects
    }

    /// Names a project by its folder, with as many of those that it is in as tell it from the others.
    pub(super) fn name_project<'p>(&self, project: &'p ProjectId) -> &'p str {
        let name = project.display_name();
        if !is_address(name) || !self.projects.contains(project) {
            return name;
        }
        let ends = name.rmatch_indices('/').map(|(at, _)| &name[at + 1..]);
        let mut ends = ends.filter(|end| !end.is_empty());
        ends.find(|end| self.is_of_one(end)).unwrap_or(name)
    }

    /// Puts the name that tells a project apart in place of its whole one.
    pub(super) fn shorten(&self, words: &str) -> String {
        let projects = self.projects.iter();
        let projects = projects.filter(|project| words.contains(project.display_name()));
        match projects.max_by_key(|project| project.display_name().len()) {
            Some(longest) => words.replace(longest.display_name(), self.name_project(longest)),
            None => words.to_owned(),
        }
    }

    /// Returns whether only one project's name ends with these folders.
    fn is_of_one(&self, end: &str) -> bool {
        let rests = self.projects.iter();
        let rests = rests.filter_map(|project| project.display_name().strip_suffix(end));
        rests
            .filter(|rest| rest.is_empty() || rest.ends_with('/'))
            .count()
            == 1
    }

    pub(super) fn label(&self, place: &Scope) -> PlaceLabel {
        let project = place.project.as_ref();
        let name = |name: &dyn Fn(&'_ ProjectId) -> String| {
            VisibleText::line(&project.map_or_else(|| "every project".to_owned(), name))
        };
        let agent = Some(place.agent.as_str()).filter(|_| self.agents.len() > 1);
        PlaceLabel {
            agent: VisibleText::line(agent.unwrap_or_default()),
            project: name(&|project| self.name_project(project).to_owned()),
            whole: name(&|project| project.display_name().to_owned()),
        }
    }
}

/// Returns whether a name is the path of a folder, or the address of a repository: `example.org/acme/shop`.
fn is_address(name: &str) -> bool {
    let root = name.split_once('/').map(|(root, _)| root);
    let is_host = |root: &str| root.contains('.') && !root.contains(char::is_whitespace);
    root.is_some_and(|root| root.is_empty() || root.ends_with(':') || is_host(root))
}

#[cfg(test)]
mod tests {
    use hardwon_core::TenantId;

    use super::*;

    #[test]
    fn a_project_is_named_by_its_folder_where_that_tells_it_apart() {
        let all = [
            "/home/ann/shop/.git",
            "/home/ann/old/site",
            "/home/ann/new/site",
            "/site",
            "C:/work/tools",
            "example.org/acme/kiln",
            "acme/docs",
            "docs",
        ];
        let scopes = all.map(|name| Scope {
            tenant: TenantId::default(),
            agent: AgentId::default(),
            project: ProjectId::parse(name).ok(),
        });
        let names = PlaceNames::new(&scopes);
        let named = scopes.map(|scope| names.label(&scope).project.to_string());
        let expected = [
            "shop",
            "old/site",
            "new/site",
            "/site",
            "tools",
            "kiln",
            "acme/docs",
            "docs",
        ];
        assert_eq!(named, expected);
    }
}
