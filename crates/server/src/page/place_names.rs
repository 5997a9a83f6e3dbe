//! Places as people name them: a project by its folder, where no other that is seen has a folder of that name.

use hardwon_core::{ProjectId, Scope};

use super::text::VisibleText;

/// What tells the places that are seen apart.
#[derive(Debug, Default)]
pub(super) struct PlaceNames {
    projects: Vec<ProjectId>,
    has_agents: bool,
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
        let has_agents = scopes.windows(2).any(|pair| pair[0].agent != pair[1].agent);
        Self {
            projects,
            has_agents,
        }
    }

    /// Names a project in as few words as tell it from the others.
    pub(super) fn name_project<'p>(&self, project: &'p ProjectId) -> &'p str {
        let folder = folder_of(project);
        let mut same = self.projects.iter().filter(|of| folder_of(of) == folder);
        if same.next() == Some(project) && same.next().is_none() {
            folder
        } else {
            project.display_name()
        }
    }

    pub(super) fn label(&self, place: &Scope) -> PlaceLabel {
        let project = place.project.as_ref();
        let name = |name: &dyn Fn(&'_ ProjectId) -> String| {
            VisibleText::line(&project.map_or_else(|| "every project".to_owned(), name))
        };
        let agent = Some(place.agent.as_str()).filter(|_| self.has_agents);
        PlaceLabel {
            agent: VisibleText::line(agent.unwrap_or_default()),
            project: name(&|project| self.name_project(project).to_owned()),
            whole: name(&|project| project.display_name().to_owned()),
        }
    }
}

/// Returns the name of a project's folder; the whole name of one that is no folder.
fn folder_of(project: &ProjectId) -> &str {
    let name = project.display_name();
    let is_path = name.starts_with('/') || name.get(1..3).is_some_and(|drive| drive == ":/");
    let folder = name.rsplit('/').next().filter(|_| is_path);
    folder.filter(|folder| !folder.is_empty()).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use hardwon_core::{AgentId, TenantId};

    use super::*;

    #[test]
    fn a_project_is_named_by_its_folder_where_that_tells_it_apart() {
        let all = [
            "/home/ann/shop/.git",
            "/home/ann/old/site",
            "/home/ann/new/site",
            "C:/work/tools",
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
            "/home/ann/old/site",
            "/home/ann/new/site",
            "tools",
            "acme/docs",
            "docs",
        ];
        assert_eq!(named, expected);
    }
}
